/** Asks the requests of the last days of the program that runs and of a new one, and says where the new one is worse. */

import { REPLAY_DAYS, type ReplayGroup } from '../../../src/features/replay/wire.ts';
import { countsOf, outcomeOf } from '../../../src/features/replay/words.ts';
import type { Difference } from '../../../src/shared/failure.ts';
import { isBad } from '../replay/compare.ts';
import type { OtherProgram, Replays } from '../replay/replays.ts';
import type { Asked } from './ask-both.ts';

/** Distinct requests: they take 10 s on two cores. */
const MOST_REQUESTS = 5_000;
/** Groups that are named. */
const MOST_NAMED = 20;

/**
 * What cannot be compared, such as for lack of memory, is left out.
 * @param proxyfile in the words of the new program
 * @throws Failure STOPPING
 */
export async function askHistory(
  replays: Pick<Replays, 'ofProgram'>,
  proxyfile: string,
  program: OtherProgram,
  signal: AbortSignal,
): Promise<Asked> {
  const request = { proxyfile, hosts: null, days: REPLAY_DAYS.usual, requests: MOST_REQUESTS };
  const { groups, leftOut, detail, of, done } = await replays.ofProgram(request, program, signal);
  const named = (isChosen: boolean) =>
    groups
      .filter((group) => isWorse(group) === isChosen)
      .slice(0, MOST_NAMED)
      .map(differenceOf);
  return {
    worse: named(true),
    other: named(false),
    leftOut:
      detail === undefined
        ? leftOut
        : [...leftOut, { reason: detail, count: Math.max(0, of - done) }],
  };
}

/** A good answer must stay as it is, as far as a visitor or an upstream can tell. */
const isWorse = ({ before, after }: ReplayGroup): boolean =>
  !isBad(before) &&
  (isBad(after) ||
    before.status !== after.status ||
    before.to !== after.to ||
    before.location !== after.location);

function differenceOf(group: ReplayGroup): Difference {
  const [example] = group.examples;
  const such = example ? `, such as ${example.method} ${example.path}` : '';
  return { domain: group.domain, reason: `${countsOf(group)} ${outcomeOf(group)}${such}` };
}
