/**
 * Dials each upstream every half minute, a few at a time, and spread over that half minute: what is
 * new is dialled at once, and again after a random part of it. What is down is dialled three times as
 * often, because someone is waiting for it.
 *
 * The hub reports an upstream within a minute. It is down for at most 30.5 s, a round and a tick, until
 * it is dialled, and for 2 s until that has failed; the hub asks every 10 s, may see the answer 5 s
 * later at its next look, and waits another 10 s to be sure: 57.5 s. When it is back, that is
 * 10.5 + 2 + 10 + 5 + 10 s: 37.5 s. With more than a hundred that do not even refuse, rounds take longer.
 */
import { createConcurrencyLimit } from '../../../src/shared/async.ts';
import { every } from '../../../src/shared/every.ts';
import { type Dial, keyOfDial } from '../live-upstreams.ts';
import type { DialResult, DialUpstream } from './dial.ts';

/** What dialling brought last: when, and since when it has been so; milliseconds since 1970. */
export type Probe = DialResult & { at: number; since: number };

export type Prober = {
  /** Dials these from now on, and no others. */
  keep(dials: readonly Dial[]): void;
  /**
   * Resolves when each of these has been dialled, however long that takes. Forgotten ones count.
   * @param redial whether to dial those again that have been dialled more than a second ago
   */
  probe(dials: readonly Dial[], redial: boolean): Promise<void>;
  /** Null before the first result. */
  last(dial: Dial): Probe | null;
  /** Those with a result. */
  results(): { dial: Dial; last: Probe }[];
  end(): Promise<void>;
};

const AT_ONCE = 20;
/** One that is down is dialled after this share of that time. */
const DOWN_SHARE = 1 / 3;
/** Leaves room for one lost packet, which Linux sends again after a second. */
const TIMEOUT_MS = 2_000;
/** Shorter, because someone waits for the result of a change. */
const FIRST_TIMEOUT_MS = 1_000;
const FRESH_MS = 1_000;
/** How often in that time it looks for what is due. */
const TICKS = 60;

type Entry = {
  dial: Dial;
  last: Probe | null;
  /** By `elapsed`. */
  due: number;
  dialled: number;
  running: Promise<void> | null;
};

/**
 * @param pause milliseconds from one dial to the next
 * @param elapsed milliseconds from a clock that is never set
 */
export function createProber(
  dial: DialUpstream,
  pause: number,
  now: () => Date,
  elapsed: () => number,
): Prober {
  let entries = new Map<string, Entry>();
  const dialled = createConcurrencyLimit({ concurrency: AT_ONCE });
  // Those that may take the whole timeout, of which one site may have thousands.
  const silent = createConcurrencyLimit({ concurrency: AT_ONCE });
  let hasBegun = false;

  function tick(): void {
    const time = elapsed();
    for (const entry of entries.values()) {
      if (entry.due <= time) void start(entry);
    }
  }

  function start(entry: Entry): Promise<void> {
    const limited = entry.last?.up === false ? silent : dialled;
    entry.running ??= limited(() => run(entry)).finally(() => {
      entry.running = null;
    });
    return entry.running;
  }

  async function run(entry: Entry): Promise<void> {
    const { dial: of, last } = entry;
    // It may have been forgotten while it waited.
    if (entries.get(keyOfDial(of)) !== entry) return;
    const result = await dial(of, last === null ? FIRST_TIMEOUT_MS : TIMEOUT_MS);
    const at = now().getTime();
    entry.last = { ...result, at, since: last?.up === result.up ? last.since : at };
    entry.dialled = elapsed();
    // The first round has no order yet: a random part of the time spreads the next ones.
    const share = result.up === false ? DOWN_SHARE : 1;
    entry.due = entry.dialled + pause * share * (last === null ? Math.random() : 1);
  }

  const ticks = every({ pause: pause / TICKS, first: pause / TICKS }, tick);

  return {
    keep(dials) {
      const kept = new Map<string, Entry>();
      for (const one of dials) {
        const key = keyOfDial(one);
        const fresh = { dial: one, last: null, due: 0, dialled: 0, running: null };
        kept.set(key, entries.get(key) ?? fresh);
      }
      entries = kept;
      if (!hasBegun) ticks.begin();
      hasBegun = true;
      tick();
    },

    async probe(dials, redial) {
      const before = elapsed() - FRESH_MS;
      const found = new Set(dials.flatMap((one) => entries.get(keyOfDial(one)) ?? []));
      await Promise.all(
        [...found].map((entry) =>
          entry.last === null || (redial && entry.dialled < before) ? start(entry) : null,
        ),
      );
    },

    last: (one) => entries.get(keyOfDial(one))?.last ?? null,
    results: () =>
      [...entries.values()].flatMap(({ dial: of, last }) => (last ? [{ dial: of, last }] : [])),

    end() {
      entries = new Map();
      return ticks.end();
    },
  };
}
