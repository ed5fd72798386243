/**
 * Asks sites between changes, each once, whenever the hub says that it is time. All rounds together ask so
 * many at once, so that those that hang keep no other waiting.
 */
import { createConcurrencyLimit } from '../../../src/shared/async.ts';
import { type CheckTarget, type RoundRequest, WITHIN } from '../../../src/shared/wire/checks.ts';
import { reachable } from '../../caddy/admin.ts';
import type { Live } from '../live.ts';
import type { LiveSite } from '../live-sites.ts';
import { ask, nobodyAt, type Outcome, type Place } from './ask.ts';
import { type CheckAnswer, judge, placesIn } from './checks.ts';

export type Rounds = {
  /**
   * Asks for each check, in the order of the request.
   * @param signal aborted when nobody waits for the answer any more
   * @throws Failure PROXY_UNREACHABLE if it was never told what is live, or if Caddy is not there to answer
   */
  run(request: RoundRequest, signal: AbortSignal): Promise<CheckAnswer[]>;
};

/** A thousand sites that are asked every minute, and all hang as long as they may, are 250 at once. */
const AT_ONCE = 256;
/** Those that hung last have places of their own, so that the others find one. */
const HUNG_AT_ONCE = 64;
/** Milliseconds; if a timeout comes so late, this program was busy, and says nothing about the site. */
const LATE_MS = 500;

/** @param userAgent what tells its requests from visitors' */
export function createRounds(live: Pick<Live, 'now' | 'last'>, userAgent: () => string): Rounds {
  const usual = createConcurrencyLimit({ concurrency: AT_ONCE });
  const slow = createConcurrencyLimit({ concurrency: HUNG_AT_ONCE });
  /** As of the last look at what is live. */
  let hung = new Set<string>();
  let known: readonly LiveSite[] | null = null;

  function placesOf(sites: readonly LiveSite[]) {
    if (known !== sites) hung = new Set();
    known = sites;
    return placesIn(sites);
  }

  /** What is live is only looked at if it may have changed: without an answer, the sites may serve all the same. */
  async function findPlaces(targets: readonly CheckTarget[]): Promise<(Place | string)[]> {
    const last = live.last();
    const found = last && targets.map(placesOf(last));
    if (found?.every((place) => typeof place === 'object')) return found;
    try {
      return targets.map(placesOf(await live.now()));
    } catch (error) {
      if (found) return found;
      throw reachable(error);
    }
  }

  async function answerOf(target: CheckTarget, place: Place, signal: AbortSignal) {
    const { check } = target;
    const key = `${target.name}:${target.port}`;
    const limited = hung.has(key) ? slow : usual;
    const { path = '/', contains = null, within = WITHIN } = check ?? {};
    const timeout = within * 1_000;
    const question = { path, contains, timeout, userAgent: userAgent() };
    let from = 0;
    const once = (): Promise<Outcome> =>
      limited(async () => {
        from = performance.now();
        return signal.aborted ? { status: null, fault: '' } : ask(place, question);
      });
    let outcome = await once();
    const isLate = 'timeout' in outcome && performance.now() - from > timeout + LATE_MS;
    if (isLate) outcome = await once();
    if ('timeout' in outcome) hung.add(key);
    else hung.delete(key);
    const answer = judge(check, outcome);
    return answer.passed ? { ...answer, took: performance.now() - from } : answer;
  }

  return {
    async run({ checks }, signal) {
      const places = await findPlaces(checks);
      const answers = checks.map((target, at): Promise<CheckAnswer> | CheckAnswer => {
        const place = places[at] ?? '';
        return typeof place === 'object'
          ? answerOf(target, place, signal)
          : { passed: false, status: null, reason: place };
      });
      const found = await Promise.all(answers);
      // Without Caddy no site answers, which says nothing about any of them.
      if (found.every(({ reason }, at) => reason === nobodyAt(checks[at]?.port ?? 0))) {
        await live.now().catch((error: unknown) => {
          throw reachable(error);
        });
      }
      return found;
    },
  };
}
