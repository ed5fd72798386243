/** Tracks which requests the current work belongs to, anywhere in the program. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Fields } from '../log.ts';

type Context = { ids: readonly string[]; notes: Record<string, unknown> };

/** Follows the work through awaits, timers and queues. */
const contexts = new AsyncLocalStorage<Context>();

/** The header that carries request ids in, on to the agent, and back in the answer. */
export const REQUEST_ID = 'X-Request-Id';

const ID = /^[A-Za-z0-9._-]{1,64}$/;
/** With ids of 64 characters this is a header of 1.5 KB; further ids of a batch are dropped. */
const MOST_IDS = 24;

/** The ids of the requests that the current work belongs to; empty outside of requests. */
export const requestIds = (): readonly string[] => contexts.getStore()?.ids ?? [];

/** The same ids joined by commas, for a header or a log line, or undefined. */
export const joinedIds = (): string | undefined => requestIds().join(',') || undefined;

/** The fields of every log line that is written for a request. */
export const logContext = (): Fields => ({ request_id: joinedIds() });

/** Runs `run`, and all it starts, on behalf of these requests. */
export function inRequests<T>(ids: readonly string[], run: () => T): T {
  return contexts.run({ ids: [...new Set(ids)].slice(0, MOST_IDS), notes: {} }, run);
}

/** Runs `run`, and all it starts, on behalf of no request. */
export const outsideRequests = <T>(run: () => T): T => contexts.exit(run);

/** Adds fields to the log line of the current request. */
export function note(fields: Fields): void {
  Object.assign(contexts.getStore()?.notes ?? {}, fields);
}

export const notes = (): Fields => contexts.getStore()?.notes ?? {};

/**
 * The ids in a request's header, or a new one if they are not well-formed.
 * @param several whether the header may hold the ids of a whole batch
 */
export function idsOf(header: string | null, several: boolean): readonly string[] {
  const given = header?.split(',') ?? [];
  const most = several ? MOST_IDS : 1;
  const isGood = given.length > 0 && given.length <= most && given.every((id) => ID.test(id));
  return isGood ? given : [randomBytes(8).toString('hex')];
}
