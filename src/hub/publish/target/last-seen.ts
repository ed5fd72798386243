/** What a target last saw of its agent and proxy, and whether they could be asked. */
import { dialectOf } from '../../../shared/caddyfile/dialect.ts';
import { Failure } from '../../../shared/failure.ts';
import type { Closed, ProxyStatus } from '../../../shared/wire/proxy.ts';
import type { AgentClient } from '../../agents/client.ts';
import type { Dialect } from '../../model/containment.ts';
import { isAway } from '../../model/refusal.ts';

/** What an agent was last seen as. */
type Seen = {
  status: ProxyStatus | null;
  /** Of the look at it, in milliseconds. */
  latency: number | null;
  /** As `skewOf`. */
  skew: number | null;
  /** Whether what is stored went live after that look. */
  isPublished: boolean;
};

type LastSeenDeps = {
  client: Pick<AgentClient, 'status'>;
  /** Whether there are others: then nobody waits for this one while it does not answer. */
  hasOthers: () => boolean;
  importDirs: readonly string[];
  now: () => Date;
};

export type LastSeen = {
  seen(): Seen;
  /** The proxy's; null if it is not known. */
  version(): string | null;
  /** The names of the variables in the proxy's environment; null if they are not known. */
  environment(): readonly string[] | null;
  /** Why it cannot be reached; null if it was reachable when it was last asked. */
  away(): Failure | null;
  /** Why nobody waits for it: it is away, and there are others. Null if it is waited for. */
  skipped(): Failure | null;
  /** Remembers whether a call to the agent could be made. @throws as the call */
  watched<T>(call: Promise<T>): Promise<T>;
  /** Looks again. @throws Failure */
  status(): Promise<ProxyStatus>;
  /** The proxy's dialect, or the strictest one if it cannot be asked. Never fails. */
  dialect(): Promise<Dialect>;
  /** The same without asking now. */
  lastDialect(): Dialect;
  /** The Caddyfile with this digest was made live since. */
  noteLive(digest: string): void;
  /** What was made live since does without these listeners, and cannot write these logs. */
  noteLoaded(without: { closed: Closed[]; unwritable: readonly string[] }): void;
  /** The files of logs that the proxy could not write when something was made live. */
  unwritable(): readonly string[];
  /** What is stored is live since. */
  notePublished(): void;
};

const UNSEEN: Seen = { status: null, latency: null, skew: null, isPublished: false };

export function createLastSeen(deps: LastSeenDeps): LastSeen {
  const { client, hasOthers, importDirs, now } = deps;
  let seen = UNSEEN;
  let version: string | null = null;
  let environment: readonly string[] | null = null;
  let unwritable: readonly string[] = [];
  let dialect: Dialect | undefined;
  let away: Failure | null = null;
  /** How often something was made live. */
  let times = 0;

  const skipped = () => (hasOthers() ? away : null);

  async function watched<T>(call: Promise<T>): Promise<T> {
    try {
      const result = await call;
      away = null;
      return result;
    } catch (error) {
      if (isAway(error)) away = error;
      throw error;
    }
  }

  const lastDialect = () => dialect ?? dialectOf(null);

  async function status(): Promise<ProxyStatus> {
    const [from, sent, before] = [performance.now(), now().getTime(), times];
    try {
      const found = await watched(client.status());
      const skew = found.now === undefined ? null : skewOf(found.now, sent, now().getTime());
      // What was made live meanwhile may be newer than what was found.
      if (times === before) {
        seen = { ...UNSEEN, status: found, latency: performance.now() - from, skew };
      }
      version = found.proxy.version;
      environment = found.environment ?? null;
      dialect = { ...dialectOf(version), importDirs };
      if (hasOthers() && !found.proxy.running) {
        away = new Failure('PROXY_UNREACHABLE', found.fault ?? 'Caddy does not answer.');
      }
      return found;
    } catch (error) {
      seen = UNSEEN;
      throw error;
    }
  }

  return {
    seen: () => seen,
    version: () => version,
    environment: () => environment,
    away: () => away,
    skipped,
    watched,
    status,

    async dialect() {
      if (!dialect && !skipped()) await status().catch(() => undefined);
      return lastDialect();
    },
    lastDialect,

    noteLive(digest) {
      times++;
      if (!seen.status) return;
      const live = { liveDigest: digest, fileDigest: digest, foreign: false, checked: true };
      seen = { ...seen, status: { ...seen.status, ...live } };
    },

    unwritable: () => unwritable,
    noteLoaded({ closed, unwritable: files }) {
      times++;
      unwritable = files;
      if (seen.status) seen = { ...seen, status: { ...seen.status, closed } };
    },

    notePublished() {
      seen = { ...seen, isPublished: true };
    },
  };
}

/** Milliseconds between clocks that are worth a warning: the merged log is out of order by as much. */
export const LARGE_SKEW_MS = 2_000;

/**
 * By how much an agent's clock differs from the hub's: the least that explains an answer; positive if
 * the agent's clock is ahead.
 * @param now what time it was for the agent, ISO 8601
 * @param sent and `received`: when the hub asked and had the answer, milliseconds since 1970
 * @returns milliseconds, null if `now` is no time
 */
export function skewOf(now: string, sent: number, received: number): number | null {
  const theirs = Date.parse(now);
  if (Number.isNaN(theirs)) return null;
  return Math.max(theirs - received, 0) + Math.min(theirs - sent, 0);
}
