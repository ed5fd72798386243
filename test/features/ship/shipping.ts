/** Shippers for tests, which need no patience. */
import { afterEach } from 'bun:test';
import { join } from 'node:path';
import type { ShipFormat } from '../../../agent/features/ship/format.ts';
import { PACE } from '../../../agent/features/ship/pace.ts';
import { createShipper } from '../../../agent/features/ship/shipper.ts';
import type { Fields } from '../../../src/shared/log.ts';
import { temporaryFolders } from '../../agent/logs/temp.ts';

type ShipOptions = {
  url: string;
  format?: ShipFormat;
  headersFile?: string;
  now?: () => number;
  /** Milliseconds from one batch to the next. */
  batch?: number;
};

/** Makes folders with a log and its shippers, which are closed after each test. */
export function temporaryShippers() {
  const newFolder = temporaryFolders();
  const open: { end(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const shipper of open.splice(0)) await shipper.end();
  });
  return () => {
    const folder = newFolder();
    const file = join(folder, 'access.log');
    const placeFile = join(folder, 'log-ship.json');
    const logged: { event: string; fields?: Fields | undefined }[] = [];
    const warnings = new Map<string, string>();
    const ship = ({ url, format = 'ndjson', headersFile, batch = 5, now }: ShipOptions) => {
      const shipper = createShipper(
        {
          accessLog: file,
          log: (event, fields) => void logged.push({ event, fields }),
          warn: (key, sentence) =>
            sentence === null ? warnings.delete(key) : warnings.set(key, sentence),
        },
        { engine: { url, format, headersFile: headersFile ?? null }, placeFile },
        { ...PACE, batch, rest: 0, retry: 5, longestRetry: 20 },
        now,
      );
      open.push(shipper);
      shipper.begin();
      return shipper;
    };
    return {
      folder,
      file,
      placeFile,
      at: (name: string) => join(folder, name),
      logged,
      warnings,
      ship,
    };
  };
}

/** The paths of lines, separated by spaces. */
export const pathsOf = (lines: readonly string[]): string =>
  lines.map((text) => (JSON.parse(text) as { request: { uri: string } }).request.uri).join(' ');
