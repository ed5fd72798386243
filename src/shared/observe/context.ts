/** Which requests the work at hand is done for, wherever in the program it is done. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Fields } from './log.ts';

type Context = { ids: readonly string[]; notes: Record<string, unknown> };

/** Travels with the work itself, through awaits, timers and queues. */
const contexts = new AsyncLocalStorage<Context>();

/** The header in which an id comes, goes on to the agent, and is answered. */
export const REQUEST_ID = 'X-Request-Id';

const ID = /^[A-Za-z0-9._-]{1,64}$/;
/** With ids of 64 characters a header of 1.5 KB; what a batch has more of is not named. */
const MOST_IDS = 24;

/** The ids of the requests that the work at hand is for; none outside of requests. */
export const requestIds = (): readonly string[] => contexts.getStore()?.ids ?? [];

/** For a header or a log line: the ids with commas between, or undefined. */
export const joinedIds = (): string | undefined => requestIds().join(',') || undefined;

/** What every line of the log says while requests are worked on. */
export const logContext = (): Fields => ({ request_id: joinedIds() });

/** Does `run`, and all it sets off, for these requests. */
export function inRequests<T>(ids: readonly string[], run: () => T): T {
  return contexts.run({ ids: [...new Set(ids)].slice(0, MOST_IDS), notes: {} }, run);
}

/** Adds to what the line of this request will say. */
export function note(fields: Fields): void {
  Object.assign(contexts.getStore()?.notes ?? {}, fields);
}

export const notes = (): Fields => contexts.getStore()?.notes ?? {};

/**
 * The ids a request brings along, or a new one where it brings none that is well-formed.
 * @param several whether they may be those of a whole batch
 */
export function idsOf(header: string | null, several: boolean): readonly string[] {
  const given = header?.split(',') ?? [];
  const most = several ? MOST_IDS : 1;
  const isGood = given.length > 0 && given.length <= most && given.every((id) => ID.test(id));
  return isGood ? given : [randomBytes(8).toString('hex')];
}
