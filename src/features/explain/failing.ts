/**
 * Which sites fail for everyone, by the last explanation of each, until something speaks against it. Upstreams are not
 * asked for that: it goes by the problems that the hub lists, and by what the access log says of visitors.
 */
import type { HubCore } from '../../hub/core.ts';
import { setFor, siteOf } from '../../hub/model/applied.ts';
import { endpointsUnder } from '../../hub/model/endpoints.ts';
import { type SiteSet, type Vhost, vhostsById } from '../../hub/model/vhost.ts';
import type { FailingView } from '../../hub/watch/sites/view.ts';
import { every, type Repeated } from '../../shared/every.ts';
import type { LogPage } from '../../shared/wire/logs.ts';
import type { Judgement } from './judge.ts';
import { CAUSE_WORDS, type Cause } from './words.ts';

/** An explanation of a stored vhost that is on. `agent`: the id of the one that looked. */
type Explained = { set: SiteSet; vhost: Vhost; agent: number; path: string; judgement: Judgement };

export type FailingSites = Repeated & {
  /** The last explanation of a site counts, whatever was said before. */
  note(explained: Explained): void;
  /** @param open the ids of the vhosts with a problem that an upstream or a check has now */
  follow(open: ReadonlySet<number>): void;
  /** Null if it works there, or nobody knows. */
  of(vhost: number, agent: number): FailingView | null;
};

type Entry = {
  agent: number;
  /** As they were explained: a changed one is another object. */
  site: object;
  preamble: string;
  cause: Cause;
  words: string;
  since: Date;
  /** When it was last known to fail, in milliseconds of `elapsed`. */
  seen: number;
  /** The access log was read up to here, in milliseconds since 1970. */
  read: number;
  hasProblem: boolean;
};

/** Of more, the one that was explained first is forgotten: each costs a page of the access log at every look. */
const MOST = 50;
/** Milliseconds for which an explanation counts if nobody visits the site. */
const KEPT_MS = 600_000;
/** The same if no connection could be made: by then, the agent has tried to make one as well. */
const UNCONNECTED_MS = 60_000;
/** Requests since the last look of which the statuses are read, newest first. */
const MOST_READ = 50;

/** Statuses other than 200 to 299 that say nothing: a page may be unchanged, missing or behind a password. */
const NEUTRAL: readonly number[] = [304, 401, 404];
const isSuccess = (status: number): boolean => status >= 200 && status < 300;
const isFault = (status: number): boolean => status >= 300 && !NEUTRAL.includes(status);

/** @param pause milliseconds from one look at the access log to the next; no site fails, no look */
export function createFailingSites(
  { publisher, now, elapsed }: Pick<HubCore, 'publisher' | 'now' | 'elapsed'>,
  pause: number,
): FailingSites {
  const entries = new Map<number, Entry>();
  let open: ReadonlySet<number> = new Set();

  /** The vhost, if nothing was changed since it was explained. */
  function unchanged(id: number, { agent, site, preamble }: Entry): Vhost | undefined {
    const set = setFor(publisher.current(), agent);
    const vhost = vhostsById(set).get(id);
    const isSame = vhost && siteOf(vhost, set) === site && set.preamble === preamble;
    return isSame ? vhost : undefined;
  }

  /** Whether a visitor was served; notes what others got. */
  async function isServed(vhost: Vhost, entry: Entry): Promise<boolean> {
    const client = publisher.agents.all().find(({ id }) => id === entry.agent)?.client;
    const hosts = endpointsUnder(entry.preamble)(vhost).map(({ name }) => name);
    if (!client || hosts.includes('')) return false;
    const from = new Date(entry.read).toISOString();
    const query = { domain: hosts.join(' '), from, pageSize: String(MOST_READ) };
    const { logs }: LogPage = JSON.parse(await client.logs(query));
    const [newest] = logs;
    if (newest) entry.read = Date.parse(newest.timestamp) + 1;
    if (logs.some(({ status }) => isFault(status))) entry.seen = elapsed();
    return logs.some(({ status }) => isSuccess(status));
  }

  const looks = every({ pause, first: pause }, async () => {
    for (const [id, entry] of entries) {
      const vhost = unchanged(id, entry);
      // An agent that does not answer says nothing of it.
      const isOver = !vhost || (await isServed(vhost, entry).catch(() => false));
      if (isOver && entries.get(id) === entry) entries.delete(id);
    }
  });

  return {
    ...looks,

    note({ set, vhost, agent, path, judgement: { explanation, isTotal } }) {
      const { id, check } = vhost;
      if (path !== '/' && path !== check?.path) return;
      entries.delete(id);
      const { cause, words } = explanation;
      if (!isTotal || cause === null) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined && entries.size >= MOST) entries.delete(oldest);
      const { preamble } = setFor(set, agent);
      const since = now();
      entries.set(id, {
        agent,
        site: siteOf(vhost, set),
        preamble,
        cause,
        words,
        since,
        seen: elapsed(),
        read: since.getTime(),
        hasProblem: open.has(id),
      });
    },

    follow(ids) {
      open = ids;
      for (const [id, entry] of entries) {
        if (entry.hasProblem && !ids.has(id)) entries.delete(id);
        if (!ids.has(id)) continue;
        entry.hasProblem = true;
        entry.seen = elapsed();
      }
    },

    of(id, agent) {
      const entry = entries.get(id);
      if (entry?.agent !== agent || !unchanged(id, entry)?.enabled) return null;
      const { cause, words, since, seen } = entry;
      const kept = CAUSE_WORDS[cause].step === 'connect' ? UNCONNECTED_MS : KEPT_MS;
      if (elapsed() - seen > kept) return null;
      return { since: since.toISOString(), cause, words };
    },
  };
}
