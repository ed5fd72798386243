/** Tails of logs that are written and rolled by a test. */
import { afterEach } from 'bun:test';
import {
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Conditions } from '../../../../agent/logs/answers/filter.ts';
import { parsePosition } from '../../../../agent/logs/files/log-position.ts';
import { createTails } from '../../../../agent/logs/tail/tail.ts';
import { readEvents } from '../../../harness/events.ts';
import { line } from '../lines.ts';
import { temporaryFolders } from '../temp.ts';

let clock = 1795212767;
/** A line with a path; no two are alike, as in a real log. */
export const uniqueLine = (uri: string): string => line({ ts: ++clock, request: { uri } });
export const uniqueLines = (...uris: string[]): string =>
  uris.map((uri) => `${uniqueLine(uri)}\n`).join('');

/** Makes tails that are ended after each test. */
export function temporaryTails() {
  const newFolder = temporaryFolders();
  const opened: (() => void)[] = [];
  afterEach(() => {
    for (const end of opened.splice(0)) end();
  });

  return (how: { heartbeat?: number; maxLag?: number } = {}, folder = newFolder()) => {
    const file = join(folder, 'access.log');
    const tails = createTails(file, how.heartbeat, how.maxLag);
    opened.push(tails.end);
    let rolls = 0;
    return {
      folder,
      file,
      tails,
      open(conditions: Conditions = {}, after = '') {
        const events = readEvents(tails.open(conditions, parsePosition(after)));
        opened.push(() => void events.close().catch(() => undefined));
        return events;
      },
      roll(form: 'plain' | 'gzip' | 'nothing' = 'plain') {
        const name = join(folder, `access-2026-11-20T22-17-03.${100 + rolls++}.log`);
        renameSync(file, name);
        writeFileSync(file, '');
        if (form === 'gzip') writeFileSync(`${name}.gz`, gzipSync(readFileSync(name)));
        if (form !== 'plain') rmSync(name);
      },
      /** How many files of the folder this process has open. */
      handles: () =>
        readdirSync('/proc/self/fd').filter((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
          } catch {
            return false;
          }
        }).length,
    };
  };
}
