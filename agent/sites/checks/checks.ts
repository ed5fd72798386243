/** Checks sites of the live configuration through the proxy itself, each until it passes or its time is over. */
import { createConcurrencyLimit } from '../../../src/shared/async.ts';
import { memoize } from '../../../src/shared/memoize.ts';
import {
  AT_ONCE,
  type Check,
  type ChecksAnswer,
  type ChecksRequest,
  type CheckTarget,
  LEAST_MS,
  ONCE_MS,
  WITHIN,
} from '../../../src/shared/wire/checks.ts';
import { reachable } from '../../caddy/admin.ts';
import { type LiveSite, nameOf } from '../live-sites.ts';
import { ask, NO_CERTIFICATE_YET, type Outcome, type Place, type Settled } from './ask.ts';
import { createSettled } from './settled.ts';

export type Checks = {
  /**
   * Asks for each check, in the order of the request.
   * @param signal aborted when nobody waits for the answer any more
   * @throws Failure PROXY_UNREACHABLE if it cannot tell what is live
   */
  run(request: ChecksRequest, signal: AbortSignal): Promise<CheckAnswer[]>;
};

/**
 * @param live the sites of the live configuration @throws AdminUnreachable
 * @param userAgent what tells its requests from visitors'
 */
export function createChecks(
  live: () => Promise<readonly LiveSite[]>,
  userAgent: () => string,
): Checks {
  return {
    async run({ checks, once = false }, signal) {
      const sites = await live().catch((error: unknown) => {
        throw reachable(error);
      });
      const over = new AbortController();
      const settled = createSettled(sites, over.signal);
      const asked = runChecks(checks, {
        placeOf: placesIn(sites),
        userAgent: userAgent(),
        settled,
        once,
        signal,
      });
      return asked.finally(() => over.abort());
    },
  };
}

/** Finds where a name is served; otherwise says that it is not. */
export const placesIn = memoize((sites: readonly LiveSite[]): PlaceOf => {
  const places = new Map<string, Place>();
  for (const { name, listeners } of sites) {
    for (const { host, port, tls } of listeners) {
      const key = `${port} ${name}`;
      if (!places.has(key)) places.set(key, { host, port, tls, name });
    }
  }
  return ({ name, port }) =>
    places.get(`${port} ${nameOf(name)}`) ?? `Caddy does not serve this name on port ${port}`;
});

/** Where a target is served; otherwise a sentence that says why it cannot be asked. */
type PlaceOf = (target: CheckTarget) => Place | string;

type RunOptions = {
  placeOf: PlaceOf;
  /** What tells the requests from visitors'. */
  userAgent: string;
  /** Without it, nothing else can answer in place of what is checked. */
  settled?: Settled;
  /** See `ChecksRequest`. */
  once?: boolean;
  /** Milliseconds for each, if its `within` is longer. */
  longest?: number | undefined;
  /** Whoever asks has gone when it is aborted: nothing is asked again. */
  signal: AbortSignal;
};

/** Between two attempts, in milliseconds; it doubles. */
const PAUSE_MS = 100;
const PAUSE_MOST_MS = 1_000;

const NOBODY_WAITS = { status: null, fault: 'Cancelled: the caller has gone' } as const;

/** Asks for many at once, in the order of the targets. Never rejects. */
export function runChecks(
  targets: readonly CheckTarget[],
  {
    placeOf,
    userAgent,
    settled,
    once = false,
    longest = Number.POSITIVE_INFINITY,
    signal,
  }: RunOptions,
): Promise<CheckAnswer[]> {
  const from = performance.now();
  const limited = createConcurrencyLimit({ concurrency: AT_ONCE });

  async function run(target: CheckTarget): Promise<CheckAnswer> {
    const place = placeOf(target);
    if (typeof place === 'string') return { passed: false, status: null, reason: place };
    const { check, tried } = target;
    const { path = '/', contains = null, within = WITHIN } = check ?? {};
    const most = Math.min(within * 1_000, longest);
    const bound = tried === undefined ? most : againWithin(tried, most);
    /** Since when an answer is possible. */
    let begun = settled ? null : from;
    const noted: Settled | undefined =
      settled &&
      (async (host, port) => {
        await settled(host, port);
        begun ??= performance.now();
      });
    let until = from + most;
    for (let pause = PAUSE_MS; ; pause = Math.min(2 * pause, PAUSE_MOST_MS)) {
      let asked = 0;
      const outcome = await limited(async () => {
        if (signal.aborted) return NOBODY_WAITS;
        asked = performance.now();
        const timeout = once ? ONCE_MS : Math.max(Math.min(until - asked, bound), LEAST_MS);
        return ask(place, { path, contains, timeout, userAgent, settled: noted });
      });
      const answer = judge(check, outcome);
      if (answer.passed) return { ...answer, took: performance.now() - asked };
      // A trial needs no authority, so it says nothing about how long that takes.
      const isYet = 'fault' in outcome && outcome.fault === NO_CERTIFICATE_YET;
      if (isYet) begun = performance.now();
      until = from + (begun === null || isYet ? most : Math.min(most, begun + bound - from));
      if (once || signal.aborted || performance.now() + pause >= until) return answer;
      await Bun.sleep(pause);
    }
  }

  return Promise.all(targets.map(run));
}

/** Milliseconds for a site that answered in so many at a trial. */
const againWithin = (tried: number, most: number): number =>
  Math.min(most, Math.max(ONCE_MS, 2 * tried));

export type CheckAnswer = ChecksAnswer['answers'][number];

/** What is shown of a text that may be long. */
const MOST_SHOWN = 100;

/** Says whether an answer is what a check asks for, and what came instead. @param check null: any passes */
export function judge(check: Check | null, outcome: Outcome): CheckAnswer {
  const { path = '/', status: wanted, contains } = check ?? {};
  // A query may hold a secret, and reasons are passed on.
  const get = `GET ${short(path.replace(/\?.*$/, ''))}`;
  if (outcome.status === null) {
    const reason =
      'fault' in outcome
        ? outcome.fault
        : `${get} was not answered within ${Math.round(outcome.timeout / 100) / 10} s`;
    return { passed: false, status: null, reason };
  }
  const { status, found } = outcome;
  const answer = { status, reason: `${get} answered ${status}` };
  if (check === null) return { passed: true, ...answer };
  if (wanted === undefined ? status < 200 || status > 299 : status !== wanted) {
    const instead = wanted ?? 'a status from 200 to 299';
    return { passed: false, status, reason: `${answer.reason} instead of ${instead}` };
  }
  if (found) return { passed: true, ...answer };
  const reason = `The response body of ${get} does not contain “${short(contains ?? '')}”`;
  return { passed: false, status, reason };
}

const short = (text: string): string =>
  text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
