/** The stored vhosts that the proxy refuses: what is published does without them until it accepts them. */
import { Failure } from '../../../shared/failure.ts';
import type { Log } from '../../../shared/log.ts';
import { idsAfter, type Step } from '../../model/changes.ts';
import type { BrokenVhost, Findings } from '../../model/refusal.ts';
import type { SiteSet, Vhost } from '../../model/vhost.ts';

export type LeftOut = {
  /** What of a set is to be live: all of it except the vhosts that are left out. */
  of(set: SiteSet): SiteSet;
  /** The same if these steps lead to the set: the vhosts they change are judged on their own. */
  after(set: SiteSet, steps: readonly Step[]): SiteSet;
  /** The vhosts that are left out, each with the reason. */
  list(): readonly BrokenVhost[];
  add(findings: Findings): void;
  remove(vhosts: readonly Vhost[]): void;
  /** Forgets what no longer applies once a set is live that these steps led to. */
  settle(set: SiteSet, steps: readonly Step[]): void;
  /** The vhosts that it is time to try again; those that nobody has looked at come first. */
  due(): Vhost[];
};

/** `pause`: milliseconds until the attempt after the next. */
type Entry = BrokenVhost & { isExamined: boolean; dueAt: number; pause: number };

/** Milliseconds between attempts; `longestLoad` for vhosts that only fail when they are loaded. */
export type LeftOutPace = Readonly<{ first: number; longest: number; longestLoad: number }>;

/** @param now milliseconds of any clock that does not jump */
export function createLeftOut(log: Log, now: () => number, pace: LeftOutPace): LeftOut {
  let entries: ReadonlyMap<number, Entry> = new Map();
  let last: { set: SiteSet; entries: typeof entries; result: SiteSet } | null = null;

  const without = (set: SiteSet, judged: ReadonlySet<number>): SiteSet =>
    entries.size === 0
      ? set
      : { ...set, vhosts: set.vhosts.filter(({ id }) => judged.has(id) || !entries.has(id)) };

  /** The next attempt at a vhost is twice as far away as the last one was. */
  function entryOf(broken: BrokenVhost, isExamined: boolean): Entry {
    const known = entries.get(broken.vhost.id);
    const pause = known?.isExamined ? known.pause : pace.first;
    const longest = broken.byLoad ? pace.longestLoad : pace.longest;
    const dueAt = isExamined ? now() + pause : 0;
    return { ...broken, isExamined, dueAt, pause: Math.min(pause * 2, longest) };
  }

  function replace(next: ReadonlyMap<number, Entry>): void {
    for (const [id, { vhost }] of next) {
      if (!entries.has(id)) log('vhost left out', { id, domain: vhost.domain }, 'warn');
    }
    for (const [id, { vhost }] of entries) {
      if (!next.has(id)) log('vhost no longer left out', { id, domain: vhost.domain });
    }
    entries = next;
  }

  return {
    of(set) {
      if (last?.set !== set || last.entries !== entries) {
        last = { set, entries, result: without(set, new Set()) };
      }
      return last.result;
    },
    after: (set, steps) => without(set, idsAfter(steps)),
    list: () => [...entries.values()],

    add({ broken, unexamined }) {
      const found = [
        ...broken.map((one) => entryOf(one, true)),
        ...unexamined.map((vhost) => entryOf({ vhost, failure: notYet() }, false)),
      ];
      replace(new Map([...entries, ...found.map((entry) => [entry.vhost.id, entry] as const)]));
    },

    remove(vhosts) {
      const ids = new Set(vhosts.map(({ id }) => id));
      replace(new Map([...entries].filter(([id]) => !ids.has(id))));
    },

    settle(set, steps) {
      if (entries.size === 0) return;
      const judged = idsAfter(steps);
      const stored = new Set(set.vhosts.map(({ id }) => id));
      const isPreamble = steps.some(({ kind }) => kind === 'preamble');
      const rest = [...entries].filter(([id]) => stored.has(id) && !judged.has(id));
      replace(
        new Map(rest.map(([id, entry]) => [id, isPreamble ? { ...entry, dueAt: 0 } : entry])),
      );
    },

    due() {
      const due = [...entries.values()].filter(({ dueAt }) => dueAt <= now());
      const unexamined = due.filter(({ isExamined }) => !isExamined);
      return (unexamined.length > 0 ? unexamined : due).map(({ vhost }) => vhost);
    },
  };
}

const notYet = () =>
  new Failure(
    'PROXY_REJECTED',
    'Caddy refused one of several changes sent together; yours may not be the cause.',
    {
      detail: 'not served, because it or another site is refused; signalbox is looking for which',
    },
  );
