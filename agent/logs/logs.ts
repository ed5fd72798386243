import type { LogPage } from '../wire.ts';
import { createClassifier } from './classify.ts';
import type { LogFilter } from './filter.ts';
import { createHistory } from './history.ts';
import { createPatience } from './patience.ts';
import { readPage, type Segments } from './query.ts';
import { createReader, Vanished } from './reader.ts';
import { createTallies } from './tally.ts';

export type Logs = {
  /** Begins to index, so that the first query need not; its faults are told to the queries. */
  warm(): void;
  /**
   * A page of the access log as it is now: what was written before the call is in it. Rejects
   * when a file cannot be read, and after `close`.
   */
  page(filter: LogFilter): Promise<LogPage>;
  /** Lets go of the indexes and ends work under way. */
  close(): void;
};

export type LogsOptions = {
  /** The path of the live file; the rolled ones lie beside it. */
  file: string;
  /** Milliseconds after which a query answers with what it has found until then. */
  patience?: number;
};

const PATIENCE_MS = 2000;
// How often a page is begun anew because a roll took a file away under it.
const ATTEMPTS = 20;

export function createLogs({ file, patience = PATIENCE_MS }: LogsOptions): Logs {
  const classifier = createClassifier();
  const history = createHistory(file, classifier);
  const reader = createReader(classifier);
  const tallies = createTallies(reader);

  // While the log is indexed for the first time nobody waits for it longer than patience.
  async function segmentsNow(): Promise<Segments> {
    const fresh = history.refresh().then((segments) => ({ segments, complete: true }));
    if (!history.beginning()) return fresh;
    let timer: Timer | undefined;
    const late = new Promise<Segments | undefined>((resolve) => {
      timer = setTimeout(() => {
        const segments = history.beginning();
        resolve(segments && { segments, complete: false });
      }, patience);
    });
    try {
      return (await Promise.race([fresh, late])) ?? (await fresh);
    } finally {
      clearTimeout(timer);
      fresh.catch(() => undefined);
    }
  }

  return {
    warm() {
      history.refresh().catch(() => undefined);
    },
    async page(filter) {
      const tools = { reader, tallies, classifier, patience: createPatience(patience) };
      for (let attempt = 1; ; attempt++) {
        try {
          return await readPage(await segmentsNow(), filter, tools);
        } catch (fault) {
          if (!(fault instanceof Vanished) || attempt === ATTEMPTS) throw fault;
        }
      }
    },
    close() {
      history.close();
      reader.close();
      tallies.clear();
    },
  };
}
