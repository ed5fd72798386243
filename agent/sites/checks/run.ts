/** Asks for many checks at once, each again until it passes or its time is over. */
import { createConcurrencyLimit } from '../../../src/shared/concurrency-limit.ts';
import {
  AT_ONCE,
  type CheckTarget,
  LEAST_MS,
  ONCE_MS,
  WITHIN,
} from '../../../src/shared/wire-check.ts';
import { ask, type Place } from './ask.ts';
import { type CheckAnswer, judge } from './judge.ts';

export type RunOptions = {
  /** Where a target is served; otherwise a sentence that says why it cannot be asked. */
  placeOf: (target: CheckTarget) => Place | string;
  /** See `ChecksRequest`. */
  once?: boolean;
  /** Whoever asks has gone when it is aborted: nothing is asked again. */
  signal: AbortSignal;
};

/** Between two attempts, in milliseconds; it doubles. */
const PAUSE_MS = 100;
const PAUSE_MOST_MS = 1_000;

const NOBODY_WAITS = { status: null, fault: 'Cancelled: the caller has gone' } as const;

/** In the order of the targets. Never rejects. */
export function runChecks(
  targets: readonly CheckTarget[],
  { placeOf, once = false, signal }: RunOptions,
): Promise<CheckAnswer[]> {
  const from = performance.now();
  const limited = createConcurrencyLimit({ concurrency: AT_ONCE });

  async function run(target: CheckTarget): Promise<CheckAnswer> {
    const place = placeOf(target);
    if (typeof place === 'string') return { passed: false, status: null, reason: place };
    const { check } = target;
    const { path = '/', contains = null, within = WITHIN } = check ?? {};
    const until = from + (once ? ONCE_MS : within * 1_000);
    for (let pause = PAUSE_MS; ; pause = Math.min(2 * pause, PAUSE_MOST_MS)) {
      const outcome = await limited(async () => {
        if (signal.aborted) return NOBODY_WAITS;
        const timeout = once ? ONCE_MS : Math.max(until - performance.now(), LEAST_MS);
        return ask(place, { path, contains, timeout });
      });
      const answer = judge(check, outcome);
      const isOver = once || signal.aborted || performance.now() + pause >= until;
      if (answer.passed || isOver) return answer;
      await Bun.sleep(pause);
    }
  }

  return Promise.all(targets.map(run));
}
