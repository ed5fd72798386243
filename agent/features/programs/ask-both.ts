/** Asks the program that runs and another one the same, and says what the other one does otherwise. */
import { createConcurrencyLimit } from '../../../src/shared/async.ts';
import { AT_ONCE, LEAST_MS } from '../../../src/shared/wire/checks.ts';
import { ask, nameFor, type Outcome, type Place } from '../../sites/checks/ask.ts';
import { handshake, isOwnAddress } from '../../sites/handshake.ts';
import type { LiveSite } from '../../sites/live-sites.ts';
import type { AddressFor } from './rehearsal.ts';

/** What another program does otherwise, as sentences without a full stop. */
export type Differs = {
  worse: string[];
  /** What is not worse. */
  other: string[];
};

type AskOptions = {
  /** The sites that run. */
  sites: readonly LiveSite[];
  /** Where the other program listens. */
  addressFor: AddressFor;
  /** What tells the requests from visitors'. */
  userAgent: string;
  signal: AbortSignal;
};

/** How long the sites are asked, in milliseconds: 10,000 that answer at once take 10 s on two cores. */
const ASK_MS = 40_000;
/** An upstream may fail now and then by itself: a site is worse if it is so each time. */
const ATTEMPTS = 3;

/** Each site once on each of its ports, and a handshake for each name. Never rejects. */
export async function askBoth(options: AskOptions): Promise<Differs> {
  const { sites, addressFor, signal } = options;
  const until = performance.now() + ASK_MS;
  const limited = createConcurrencyLimit({ concurrency: AT_ONCE });
  const differs: Differs = { worse: [], other: [] };
  const movedFrom = (place: Place): Place => ({ ...place, host: addressFor(place.host) });

  async function askSite(place: Place): Promise<void> {
    const { name, tls } = place;
    // Without SNI, Caddy goes by the address that it is reached at, which is another one here.
    if (tls && isOwnAddress(nameFor(place))) return;
    if (signal.aborted || performance.now() > until) return;
    const question = {
      path: '/',
      contains: null,
      timeout: 2 * LEAST_MS,
      userAgent: options.userAgent,
    };
    let verdict: Verdict = { kind: 'same' };
    for (let left = ATTEMPTS; left > 0; left--) {
      const [old, next] = await Promise.all([
        ask(place, question),
        ask(movedFrom(place), question),
      ]);
      verdict = judgeAnswers(old, next);
      if (verdict.kind === 'same') break;
    }
    note(name, verdict);
    if (tls && verdict.kind !== 'worse') note(name, await judgeHandshake(place, movedFrom(place)));
  }

  function note(domain: string, verdict: Verdict): void {
    if (verdict.kind !== 'same') differs[verdict.kind].push(`${domain}: ${verdict.reason}`);
  }

  const places = sites.flatMap(({ name, listeners }) =>
    listeners.map(({ host, port, tls }) => ({ host, port, tls, name })),
  );
  await Promise.all(places.map((place) => limited(() => askSite(place))));
  return differs;
}

type Verdict = { kind: 'same' } | { kind: 'worse' | 'other'; reason: string };

/**
 * An answer that was good must be the same. One that was an error may be any other, but neither a server
 * error nor none instead of a client error.
 */
function judgeAnswers(old: Outcome, next: Outcome): Verdict {
  const [was, is] = [wordsOf(old), wordsOf(next)];
  if (was === is) return { kind: 'same' };
  const reason = `GET / gets ${is} instead of ${was}`;
  const isWorse = rank(next) > rank(old) || (old.status !== null && old.status < 400);
  return { kind: isWorse ? 'worse' : 'other', reason };
}

/** 2: an answer, 4 and 5: errors, 6: none. */
const rank = ({ status }: Outcome): number =>
  status === null ? 6 : status < 400 ? 2 : Math.floor(status / 100);

function wordsOf(outcome: Outcome): string {
  if (outcome.status === null) {
    return 'fault' in outcome ? `no answer (${outcome.fault})` : 'no answer';
  }
  const { status, location } = outcome;
  return location === null ? String(status) : `${status} to ${pathOf(location)}`;
}

/** A redirect to a sign-in service has a new query for each visitor. */
const pathOf = (location: string): string => location.replace(/[?#].*$/s, '');

async function judgeHandshake(place: Place, moved: Place): Promise<Verdict> {
  const target = ({ host, port, name }: Place) => ({ host, port, name });
  const [old, next] = await Promise.all([handshake(target(place)), handshake(target(moved))]);
  if (old.certificate === null || next.certificate !== null) return { kind: 'same' };
  return { kind: 'worse', reason: `there is no certificate: ${next.reason}` };
}
