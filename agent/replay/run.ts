/** One replay: chooses requests from the log, asks both trials of each, and compares. */
import type { Json } from '../../src/shared/json.ts';
import { REPLAY_MS, type ReplayRequest, type ReplayState } from '../../src/shared/wire/replay.ts';
import { memoryLimit } from '../caddy/config/adapt.ts';
import type { Logs } from '../logs/logs.ts';
import { createGroups, differences, type Outcome, outcomeOf } from './compare.ts';
import { ANSWER_MS, type Connection, createConnection, LATE } from './connection.ts';
import { createLeftOut } from './left-out.ts';
import { headersOf, type Question, questionsIn } from './questions.ts';
import { peerOf, type Stage, type StageDeps, startStage } from './stage.ts';

export type RunDeps = StageDeps & {
  /** As adapted: what is live, and what would be. */
  configs: readonly [Json, Json];
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
/** Visitors at once; more are not faster on two cores. */
const AT_ONCE = 8;
/** Questions that come over the same connections. */
const BATCH = 200;
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
  const { configs, knowsAddresses, logs, now } = deps;
  const end = performance.now() + REPLAY_MS - RESERVE_MS;
  const leftOut = createLeftOut();
  const groups = createGroups();
  const counts = { done: 0, of: 0, same: 0, differ: 0 };
  began({ counts, groups: groups.list, leftOut: leftOut.list });
  const late = { unplayed: leftOut.numberOf(NOT_ANSWERED) };
  const where = { hosts, memory: memoryLimit(proxyfile) };
  const stage = await startStage(configs, where, leftOut.numberOf, deps, signal);

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
    const [old, next] = stage.sides;
    const domain = old.siteOf(host) ?? next.siteOf(host) ?? '';
    for (const each of requests) groups.add(each, domain, before.reply, after.reply, isSignedIn);
  }

  try {
    const from = now().getTime() - days * DAY_MS;
    const chosen = await logs.distinct(
      { hosts, from, most, headers: headersOf(stage.sides) },
      signal,
    );
    for (const { reason, count } of chosen.leftOut) leftOut.add(reason, count);
    const questions = await questionsIn(chosen.requests, stage.sides, knowsAddresses, leftOut.add);
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

type Asking = {
  stage: Stage;
  knowsAddresses: boolean;
  signal: AbortSignal;
  /** When the time is over, by `performance.now()`. */
  end: number;
  /** Why there is nothing to compare if a trial takes too long. */
  late: Outcome;
};

/** @param answered gets null for what was not asked in time @throws the reason of the signal and as `assertAlive` */
async function askAll(
  questions: readonly Question[],
  { stage, knowsAddresses, signal, end, late }: Asking,
  answered: (question: Question, outcomes: Outcome[] | null) => void,
): Promise<void> {
  const batches = batchesOf(questions);

  async function ask(batch: readonly Question[]): Promise<void> {
    const open = new Map<string, Connection>();
    const headOf = async (at: 0 | 1, { host, port, tls, as, bytes, hasBody }: Question) => {
      const place = stage.sides[at].place(host, port, tls);
      if (place === null) return null;
      const key = `${at} ${place.host} ${place.port}`;
      const peer = { ...peerOf(place, as, knowsAddresses), tls };
      const connection = open.get(key) ?? createConnection(peer);
      open.set(key, connection);
      const head = await connection.ask(bytes, hasBody);
      if (head === null) await stage.assertAlive(place);
      return head;
    };
    try {
      for (const question of batch) {
        signal.throwIfAborted();
        const isLate = performance.now() > end;
        const heads = ([0, 1] as const).map((at) => (isLate ? null : headOf(at, question)));
        const read = (await Promise.all(heads)).map((head) =>
          head === LATE ? late : outcomeOf(head, stage.header, stage.shownPort),
        );
        answered(question, isLate ? null : read);
      }
    } finally {
      for (const connection of open.values()) connection.close();
    }
  }

  const work = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) await ask(batch);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Each of one visitor's, or of requests whose address does not matter. */
function batchesOf(questions: readonly Question[]): Question[][] {
  const by = Map.groupBy(questions, ({ tls, as }) => `${tls} ${as}`);
  return [...by.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) =>
      all.slice(at * BATCH, (at + 1) * BATCH),
    ),
  );
}
