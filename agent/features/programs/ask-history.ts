/** Asks the requests of the last days of the program that runs and of another one, and says what the other answers otherwise. */
import { REPLAY_DAYS, type ReplayGroup } from '../../../src/features/replay/wire.ts';
import { countsOf, outcomeOf } from '../../../src/features/replay/words.ts';
import { isBad } from '../replay/compare.ts';
import type { OtherProgram, Replays } from '../replay/replays.ts';
import type { Differs } from './ask-both.ts';

/** Distinct requests: they take 10 s on two cores. */
const MOST_REQUESTS = 5_000;
/** Groups that are named. */
const MOST_NAMED = 20;

/**
 * What cannot be compared, such as for lack of memory, is left out.
 * @throws Failure STOPPING
 */
export async function askHistory(
  replays: Pick<Replays, 'ofProgram'>,
  proxyfile: string,
  program: OtherProgram,
  signal: AbortSignal,
): Promise<Differs> {
  const request = { proxyfile, hosts: null, days: REPLAY_DAYS.usual, requests: MOST_REQUESTS };
  const { groups } = await replays.ofProgram(request, program, signal);
  const named = (isChosen: boolean) =>
    groups
      .filter((group) => isWorse(group) === isChosen)
      .slice(0, MOST_NAMED)
      .map(wordsOf);
  return { worse: named(true), other: named(false) };
}

/** A good answer must stay as it is, as far as a visitor or an upstream can tell. */
const isWorse = ({ before, after }: ReplayGroup): boolean =>
  !isBad(before) &&
  (isBad(after) ||
    before.status !== after.status ||
    before.to !== after.to ||
    before.location !== after.location);

function wordsOf(group: ReplayGroup): string {
  const [example] = group.examples;
  const such = example ? `, such as ${example.method} ${example.path}` : '';
  return `${group.domain}: ${countsOf(group)} ${outcomeOf(group)}${such}`;
}
