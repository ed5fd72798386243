/** A hub that is to replace its database, and cannot. A stand-in for the hub, since what fails there is a disk. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Restart } from '../../src/hub/core.ts';
import { openDatabase } from '../../src/hub/db/open.ts';
import { type PrepareHub, prepareRestartable } from '../../src/program/serve/restartable.ts';
import { temporaryFolder, until } from '../harness/stack.ts';

const folder = temporaryFolder();
const staged = join(folder, 'signalbox.db.restoring');
let restart: Restart;
/** How many hubs were started, and how many run. */
let started = 0;
let running = 0;

const prepare: PrepareHub = (database, _port, restarts) => {
  restart = restarts;
  started++;
  return {
    url: 'http://127.0.0.1:1/',
    setupCode: null,
    serving: async () => null,
    begin: async () => void running++,
    async stop() {
      running--;
      database.close();
    },
  };
};
const hubOf = () =>
  prepareRestartable(
    openDatabase(folder),
    { dataDir: folder, host: '127.0.0.1', port: 0 },
    prepare,
    10,
    () => {},
  );

beforeEach(() => {
  started = 0;
  running = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('says why, once, leaves nothing staged, and runs again with the database from before', async () => {
  const hub = hubOf();
  await hub.begin();
  writeFileSync(staged, 'x');
  const ends: unknown[] = [];
  const put = () => {
    throw Object.assign(new Error('ENOSPC: /data'), { code: 'ENOSPC', path: '/data' });
  };
  restart({ put }, (how) => {
    ends.push(how);
    throw new Error('nor can that be noted');
  });
  await until(() => started === 2 && running === 1, 'another hub');
  expect(ends).toEqual([
    { reason: 'DATA_DIR: there is no space left on the disk, or no room for another file' },
  ]);
  expect(await Bun.file(staged).exists()).toBe(false);
  await hub.stop();
  expect(running).toBe(0);
});

test('what a restore that was killed left is removed at the next start', async () => {
  openDatabase(folder).close();
  writeFileSync(staged, 'x');
  const hub = hubOf();
  expect(await Bun.file(staged).exists()).toBe(false);
  await hub.begin();
  await hub.stop();
});
