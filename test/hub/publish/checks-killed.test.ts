// proof: chaos
/** A box that is killed while a site is asked: at its trial, or when it is live but not recorded. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findCaddies, isAlive } from '../../../agent/caddy/process/processes.ts';
import { caddiesOf } from '../../harness/caddys.ts';
import { startUpstream } from '../../harness/checked.ts';
import { countListeners } from '../../harness/listeners.ts';
import { runProgram } from '../../harness/program.ts';
import {
  ask,
  freePort,
  portSettings,
  signUp,
  temporaryFolder,
  until,
} from '../../harness/stack.ts';

/** The contract's limit for database, file and proxy to agree again. */
const AGREE_MS = 5_000;

test('is as before, killed with its Caddy and without', async () => {
  const home = temporaryFolder();
  const dataDir = join(home, 'data');
  const httpPort = freePort();
  const env = { ...portSettings(httpPort), DATA_DIR: dataDir };
  const upstream = startUpstream();
  const file = () => readFileSync(join(dataDir, 'Caddyfile'), 'utf8');
  const served = async (name: string) =>
    (await ask(`http://127.0.0.1:${httpPort}/`, { headers: { Host: `${name}.example` } })).text;

  let box = runProgram([], env, home);
  let hub = `${await box.address('hub')}/api`;
  const { headers } = await signUp({ hub });
  const create = (name: string, check: object | null) =>
    ask(`${hub}/vhosts`, {
      json: {
        domain: `http://${name}.example`,
        config: 'reverse_proxy {upstream}',
        check,
        upstream: `127.0.0.1:${upstream.port}`,
      },
      headers,
    });
  const stored = async () => [
    (await ask(`${hub}/vhosts`, { headers })).text,
    (await ask(`${hub}/changelog`, { headers })).text,
  ];
  expect((await create('kept', null)).status).toBe(201);
  const before = [...(await stored()), file()];

  const trial = join(dataDir, 'caddy', 'trial-1');
  for (const [isWithCaddy, answers] of [
    [true, 0],
    [false, 0],
    [true, 1],
    [false, 1],
  ] as const) {
    const asked = upstream.askedBy.length;
    upstream.hangs = answers;
    const lost = create('ghost', { path: '/', within: 15 }).catch(() => null);
    const checks = () =>
      upstream.askedBy.slice(asked).filter((by) => by.startsWith('signalbox-check'));
    await until(() => checks().length > answers, 'the check');
    const isLive = answers > 0;
    expect(file().includes('ghost.example')).toBe(isLive);
    const tried = isLive ? [] : findCaddies(trial, 'caddy');
    expect(tried).toHaveLength(isLive ? 0 : 1);
    box.child.kill('SIGKILL');
    await box.exited();
    expect(await lost).toBeNull();
    if (isWithCaddy) {
      for (const { pid } of caddiesOf(dataDir)) process.kill(pid, 'SIGKILL');
    }
    upstream.hangs = false;

    box = runProgram([], env, home);
    hub = `${await box.address('hub')}/api`;
    await until(
      async () => (await ask<{ inStep: boolean }>(`${hub}/status`, { headers })).body.inStep,
      'agreement',
      AGREE_MS,
    );
    expect([...(await stored()), file()]).toEqual(before);
    expect([await served('kept'), await served('ghost')]).toEqual(['ready', '']);
    expect([caddiesOf(dataDir).length, countListeners(httpPort)]).toEqual([1, 1]);
    expect([tried.filter(isAlive), existsSync(trial)]).toEqual([[], false]);
  }
  box.child.kill('SIGTERM');
  expect((await box.exited()).code).toBe(0);
  await upstream.stop();
  rmSync(home, { recursive: true, force: true });
});
