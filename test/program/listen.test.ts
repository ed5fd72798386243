/** The hub's own socket, with the program's own listener. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { listenLocally } from '../../src/program/listen.ts';
import { folderForFile } from '../harness/for-file.ts';
import { FULL } from '../harness/full.ts';

const folder = folderForFile();

/** Bun ends a request without an answer after 10 to 12 seconds, unless it is told otherwise. */
const LONGER_MS = 14_000;

test.skipIf(!FULL)('a request may take longer than Bun allows by itself', async () => {
  const unix = join(folder, 'hub.sock');
  const listening = listenLocally(async () => {
    await Bun.sleep(LONGER_MS);
    return new Response('done');
  }, unix);
  try {
    expect(await (await fetch('http://signalbox/', { unix })).text()).toBe('done');
  } finally {
    await listening.stop();
  }
});
