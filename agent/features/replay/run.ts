/** One replay: chooses requests from the log, asks both trials of each, and compares. */

import {
  REPLAY_MS,
  type ReplayRequest,
  type ReplayState,
} from '../../../src/features/replay/wire.ts';
import { memoryLimit } from '../../caddy/config/adapt.ts';
import type { Logs } from '../../logs/logs.ts';
import { askAll } from './ask-all.ts';
import { createGroups, differences, type Outcome } from './compare.ts';
import { ANSWER_MS } from './connection.ts';
import { createLeftOut } from './left-out.ts';
import { headersOf, type Question, questionsIn } from './questions.ts';
import { type Scenes, startStage } from './stage.ts';

type RunDeps = Scenes & {
  logs: Pick<Logs, 'distinct'>;
  now: () => Date;
};

/** What is known so far. */
export type Progress = {
  counts: Pick<ReplayState, 'done' | 'of' | 'same' | 'differ'>;
  groups: () => ReplayState['groups'];
  leftOut: () => ReplayState['leftOut'];
};

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Of the time that a replay has, what is left to say what it found. */
const RESERVE_MS = 3_000;
const NOT_ASKED = `Not asked within ${REPLAY_MS / 1_000} s`;
const NOT_ANSWERED = `Not answered within ${ANSWER_MS / 1_000} s`;
const NOT_SIGNED_IN = 'Compared only as somebody who is not signed in';

/**
 * @param began gets what is kept up to date from then on
 * @throws Failure PROXY_REJECTED; the reason of the signal
 */
export async function runReplay(
  { proxyfile, hosts, days, requests: most, signedIn = false }: ReplayRequest,
  deps: RunDeps,
  signal: AbortSignal,
  began: (progress: Progress) => void,
): Promise<void> {
  const { knowsAddresses, logs, now } = deps;
  const end = performance.now() + REPLAY_MS - RESERVE_MS;
  const leftOut = createLeftOut();
  const groups = createGroups();
  const counts = { done: 0, of: 0, same: 0, differ: 0 };
  began({ counts, groups: groups.list, leftOut: leftOut.list });
  const late = { unplayed: leftOut.numberOf(NOT_ANSWERED) };
  const where = { hosts, memory: memoryLimit(proxyfile) };
  const stage = await startStage(deps, where, leftOut.numberOf);

  /** Asks both, and hands over what came; a question is left out if it cannot be compared. */
  const compareAll = (all: readonly Question[], compared: Compared, without: Without) =>
    askAll(all, { stage, knowsAddresses, signal, end, late }, (question, outcomes) => {
      const [one, other] = outcomes ?? [];
      if (one && other && 'reply' in one && 'reply' in other) {
        const isSame = differences(one.reply, other.reply).length === 0;
        compared(question, isSame, [one, other]);
      } else without(question, outcomes?.find((reply) => 'unplayed' in reply) ?? null);
    });

  function note({ requests, host }: Question, [before, after]: Replies, isSignedIn: boolean): void {
    const [old, next] = stage.sides.map((side) => side.siteOf(host));
    const domain = old ?? next ?? '';
    for (const each of requests) groups.add(each, domain, before.reply, after.reply, isSignedIn);
  }

  try {
    const from = now().getTime() - days * DAY_MS;
    const chosen = await logs.distinct(
      { hosts, from, most, headers: headersOf(stage.sides) },
      signal,
    );
    for (const { reason, count } of chosen.leftOut) leftOut.add(reason, count);
    const questions = await questionsIn(
      chosen.requests,
      stage.sides,
      { knowsAddresses, pass: stage.pass },
      leftOut.add,
    );
    for (const { requests } of questions) counts.of += requests.length;
    const signing = new Map<Question, boolean>();
    await compareAll(
      questions,
      (question, isSame, replies) => {
        const { length } = question.requests;
        counts.done += length;
        counts[isSame ? 'same' : 'differ'] += length;
        if (!isSame) note(question, replies, false);
        if (signedIn && replies.some(({ isSignIn }) => isSignIn)) signing.set(question, isSame);
      },
      ({ requests }, reason) => {
        counts.of -= requests.length;
        for (const { count } of requests) {
          if (reason) leftOut.addNumber(reason.unplayed, count);
          else leftOut.add(NOT_ASKED, count);
        }
      },
    );
    stage.signIn(true);
    await compareAll(
      [...signing.keys()],
      (question, isSame, replies) => {
        if (isSame) return;
        note(question, replies, true);
        const { length } = question.requests;
        if (!signing.get(question)) return;
        counts.same -= length;
        counts.differ += length;
      },
      ({ requests }) => {
        for (const { count } of requests) leftOut.add(NOT_SIGNED_IN, count);
      },
    );
  } finally {
    await stage.end();
  }
}

type Replies = readonly [before: Reply, after: Reply];
type Reply = Exclude<Outcome, { unplayed: number }>;
type Without = (question: Question, reason: { unplayed: number } | null) => void;
type Compared = (question: Question, isSame: boolean, replies: Replies) => void;
