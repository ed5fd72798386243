/** Follows the access log, also across restarts of the hub. */
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../../../shared/async.ts';
import type { LogEntry } from '../../../shared/wire/logs.ts';
import type { Env } from '../../settings.ts';
import { openLocalHub, Refused } from './local-hub.ts';

type Following = {
  env: Env;
  /** The filters of the API. */
  query: URLSearchParams;
  /** Ends it. */
  signal: AbortSignal;
  /** Called once the log is followed: what it returns has been written, and is not written again. */
  before: () => Promise<readonly LogEntry[]>;
  written: (entries: readonly LogEntry[]) => void;
  /** Says something that is no entry. */
  said: (text: string) => void;
};

/** Until the hub is asked again. */
const RETRY_MS = 1_000;
/** How long to wait for the position at which the log is followed: an empty log has none. */
const START_MS = 1_000;

/** Refusals of a hub that has just started, or whose agents are offline. */
const PASSING = ['UNAUTHENTICATED', 'AGENT_UNREACHABLE', 'RATE_LIMITED', 'INTERNAL'];

/** @throws Refused, if the log cannot be followed at first, or never again */
export async function followLog({ env, query, signal, ...to }: Following): Promise<void> {
  // Loaded here: no other command reads events.
  const { createEventParser } = await import('../../../hub/logs/merged-tail.ts');
  let last = '';
  let isFirst = true;
  let isAway = false;
  while (!signal.aborted) {
    try {
      const headers = last === '' ? {} : { 'Last-Event-ID': last };
      const { body } = await openLocalHub(env, { path: `/logs/tail?${query}`, headers, signal });
      if (!body) return;
      if (isAway) to.said('Following the log again.');
      isAway = false;
      await read(body, isFirst);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Refused)) throw error;
      if (isFirst || !PASSING.includes(error.refusal.code ?? 'INTERNAL')) throw error;
      const isGone = error.refusal.code === undefined;
      if (!isAway) to.said(isGone ? 'The hub does not answer; waiting for it.' : error.message);
      isAway = true;
    }
    isFirst = false;
    await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }

  /** Returns when the stream ends or breaks off. @param begins whether to write what was before @throws Refused */
  async function read(body: ReadableStream<Uint8Array>, begins: boolean): Promise<void> {
    const parse = createEventParser();
    const reader = body.getReader();
    const started = Promise.withResolvers<void>();
    let failure: unknown;
    const before = async () => {
      await within(started.promise, START_MS, () => undefined);
      return counted(await to.before());
    };
    const written = (begins ? before() : Promise.resolve(counted([]))).catch((error: unknown) => {
      failure = error;
      void reader.cancel();
      return counted([]);
    });
    for (;;) {
      const piece = await reader.read().catch(() => undefined);
      if (failure !== undefined) throw failure;
      if (!piece || piece.done) return;
      const events = parse(piece.value);
      const id = events.findLast((event) => event.id !== undefined)?.id;
      if (id !== undefined) started.resolve();
      if (events.every(({ event }) => event === undefined)) {
        last = id ?? last;
        continue;
      }
      const known = await written;
      to.written(events.flatMap(({ event, data = '' }) => entryIn(event, data, known)));
      last = id ?? last;
    }
  }

  /** None if it is a gap, which is said, or has been written before. */
  function entryIn(
    event: string | undefined,
    data: string,
    known: Map<string, number>,
  ): LogEntry[] {
    if (event === 'gap') {
      const { missed } = JSON.parse(data) as { missed: number | null };
      to.said(`${missed ?? 'Some'} ${missed === 1 ? 'entry is' : 'entries are'} missing here.`);
    }
    if (event !== 'entry') return [];
    const entry = JSON.parse(data) as LogEntry;
    const times = known.get(keyOf(entry)) ?? 0;
    if (times === 0) return [entry];
    known.set(keyOf(entry), times - 1);
    return [];
  }
}

const keyOf = ({ timestamp, domain, method, path, status, latency, ip, agent }: LogEntry): string =>
  JSON.stringify([timestamp, domain, method, path, status, latency, ip, agent]);

/** How often there is each entry. */
function counted(entries: readonly LogEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entry of entries) counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1);
  return counts;
}
