import type { LogPage } from '../wire.ts';
import { createClassifier } from './classify.ts';
import type { LogFilter } from './filter.ts';
import { createHistory } from './history.ts';
import { createPatience } from './patience.ts';
import { readPage } from './query.ts';
import { createReader, Vanished } from './reader.ts';
import { createTallies } from './tally.ts';

export type Logs = {
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

  return {
    async page(filter) {
      const tools = { reader, tallies, classifier, patience: createPatience(patience) };
      for (let attempt = 1; ; attempt++) {
        try {
          return await readPage(await history.refresh(), filter, tools);
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
