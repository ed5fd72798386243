/** The stand-in for a hub whose database cannot be used. The hub is a stand-in here too: a real one begins. */
import { expect, test } from 'bun:test';
import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenDatabase } from '../../../src/hub/db/open.ts';
import { prepareStandby } from '../../../src/program/serve/standby.ts';
import { temporaryFolder, until } from '../../harness/stack.ts';

test('a hub that does not begin is stopped, and begins once it can', async () => {
  const dataDir = temporaryFolder();
  const blocked = join(dataDir, 'signalbox.db');
  mkdirSync(blocked);
  const events: string[] = [];
  const done: string[] = [];
  const prepare = ({ close }: OpenDatabase) => {
    const isFirst = done.push('prepared') === 1;
    return {
      url: '',
      setupCode: null,
      serving: async () => null,
      async begin() {
        await Bun.sleep(1);
        if (isFirst) throw new Error('not yet');
        done.push('begun');
      },
      async stop() {
        close();
        done.push('stopped');
      },
    };
  };
  const standby = prepareStandby(
    { dataDir, host: '127.0.0.1', port: 0 },
    prepare,
    5,
    (event, fields) => events.push(`${event} ${fields?.reason ?? ''}`.trim()),
  );
  try {
    await standby.begin();
    const answer = await fetch(`${standby.url}/api/vhosts`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'DATABASE_UNUSABLE' });
    await until(() => events.length > 0, 'the first reason');
    expect(done).toEqual([]);

    rmdirSync(blocked);
    await until(() => events.includes('hub started: the database can be used again'), 'it');
    expect(done).toEqual(['prepared', 'stopped', 'prepared', 'begun']);
    expect(events.filter((event) => event === 'hub not started not yet')).toHaveLength(1);
  } finally {
    await standby.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
  expect(done.at(-1)).toBe('stopped');
});
