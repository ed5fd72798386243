/** Says whether an answer is what a check asks for, and what came instead. Pure. */
import type { Check, ChecksAnswer } from '../../../src/shared/wire-check.ts';
import type { Outcome } from './ask.ts';

export type CheckAnswer = ChecksAnswer['answers'][number];

/** What is shown of a text that may be long. */
const MOST_SHOWN = 100;

/** @param check null: any answer passes */
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
