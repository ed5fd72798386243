/** Asks all trials all questions: each visitor's over connections of their own, in turn. */
import { type Outcome, outcomeOf } from './compare.ts';
import type { Side } from './config/side.ts';
import { type Connection, createConnection, LATE } from './connection.ts';
import type { Question } from './questions.ts';
import { peerOf, type Stage } from './stage.ts';

/** Visitors at once; more are not faster on two cores. */
const AT_ONCE = 8;
/** Questions that come over the same connections. */
const BATCH = 200;

type Asking = {
  stage: Stage;
  knowsAddresses: boolean;
  signal: AbortSignal;
  /** When the time is over, by `performance.now()`. */
  end: number;
  /** Why there is nothing to compare if a trial takes too long. */
  late: Outcome;
};

/**
 * @param answered gets null for what was not asked in time
 * @throws the reason of the signal, and as `assertAlive`
 */
export async function askAll<Q extends Question>(
  questions: readonly Q[],
  { stage, knowsAddresses, signal, end, late }: Asking,
  answered: (question: Q, outcomes: Outcome[] | null) => void,
): Promise<void> {
  const batches = batchesOf(questions);

  async function ask(batch: readonly Q[]): Promise<void> {
    const open = new Map<string, Connection>();
    const headOf = async (
      side: Side,
      at: number,
      { host, port, tls, as, bytes, hasBody }: Question,
    ) => {
      const place = side.place(host, port, tls);
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
        const heads = stage.sides.map((side, at) => (isLate ? null : headOf(side, at, question)));
        const heard = await Promise.all(heads);
        // The end of a replay cuts its connections, which would look like no response.
        signal.throwIfAborted();
        const read = heard.map((head) =>
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
function batchesOf<Q extends Question>(questions: readonly Q[]): Q[][] {
  const by = Map.groupBy(questions, ({ tls, as }) => `${tls} ${as}`);
  return [...by.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) =>
      all.slice(at * BATCH, (at + 1) * BATCH),
    ),
  );
}
