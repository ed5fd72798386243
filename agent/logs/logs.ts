import type { LogPage, LogQuery } from '../wire.ts';
import { createClassifier } from './classify.ts';
import { createHistory } from './history.ts';
import { type LogFilter, readPage } from './query.ts';
import { createReader, Vanished } from './reader.ts';

export type { LogFilter } from './query.ts';

export type Logs = {
  /**
   * A page of the access log as it is now: what was written before the call is in it. Rejects
   * when a file cannot be read, and after `close`.
   */
  page(filter: LogFilter): Promise<LogPage>;
  /** Lets go of the indexes and ends work under way. */
  close(): void;
};

const DEFAULT_PAGE_SIZE = 50;
// How often a page is begun anew because a roll took a file away under it.
const ATTEMPTS = 20;

/** Reads the filters of a URL, which already match the schema; an empty value is an absent one. */
export function parseLogQuery(query: LogQuery): LogFilter {
  return {
    ...(query.domain && { domain: query.domain }),
    ...(query.status && { status: Number(query.status) }),
    page: Number(query.page || 1),
    pageSize: Number(query.pageSize || DEFAULT_PAGE_SIZE),
  };
}

/** The access log whose live file has the given path, with the rolled files beside it. */
export function createLogs({ file }: { file: string }): Logs {
  const classifier = createClassifier();
  const history = createHistory(file, classifier);
  const reader = createReader(classifier);

  return {
    async page(filter) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await readPage(await history.refresh(), filter, reader);
        } catch (fault) {
          if (!(fault instanceof Vanished) || attempt === ATTEMPTS) throw fault;
        }
      }
    },
    close() {
      history.close();
      reader.close();
    },
  };
}
