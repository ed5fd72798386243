/** `signalbox restart`: other settings without a moment in which no site is served. */
import { afterEach, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askLocalHub } from '../../src/program/cli/api/local-hub.ts';
import { caddiesOf } from '../harness/caddys.ts';
import { refusal } from '../harness/operator.ts';
import { type Program, runProgram } from '../harness/program.ts';
import { ask, freePort, portSettings, temporaryFolder, until } from '../harness/stack.ts';

let program: Program | undefined;
let folder = '';
afterEach(async () => {
  program?.child.kill('SIGTERM');
  await program?.exited();
  program = undefined;
  for (const { pid } of caddiesOf(join(folder, 'data'))) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const caddies = () => caddiesOf(join(folder, 'data')).map(({ pid }) => pid);

const hubPort = freePort();
const httpPort = freePort();

async function start(): Promise<Program> {
  folder = temporaryFolder();
  setting(`HUB_PORT=${hubPort}`);
  const { HUB_PORT: _, ...ports } = portSettings(httpPort);
  program = runProgram([], { ...ports, DATA_DIR: 'data' }, folder);
  await program.address('agent');
  return program;
}

const restart = (...words: string[]) =>
  runProgram(['restart', ...words], { DATA_DIR: join(folder, 'data') }, '/').exited();

const setting = (text: string) => writeFileSync(join(folder, '.env'), `${text}\n`);

test('without a program, or with wrong settings, nothing happens', async () => {
  folder = temporaryFolder();
  expect(await restart()).toMatchObject({
    code: 1,
    err: `signalbox restart: no program uses the data folder ${join(folder, 'data')}\n`,
  });
  rmSync(folder, { recursive: true });

  await start();
  const [caddy] = caddies();
  for (const [text, why] of [
    ['SIGN_UP=anybody', 'SIGN_UP'],
    ['PROXY_BIN=/nowhere/caddy', '/nowhere/caddy'],
    ['not a setting', '.env'],
  ] as const) {
    setting(text);
    const { code, err } = await restart();
    expect([text, code, err]).toEqual([text, 1, expect.stringContaining(why)]);
  }
  expect(program?.output.err).not.toContain('restarting');
  expect(caddies()).toEqual([caddy as number]);
});

const site = () => ask(`http://127.0.0.1:${httpPort}/`, { headers: { Host: 'a.example' } });
const isHub = (port: number) =>
  ask(`http://127.0.0.1:${port}/api/health`).then(
    ({ status }) => status === 200,
    () => false,
  );

test('another command, which would die of the signal, is left alone', async () => {
  folder = temporaryFolder();
  const script = `
    const { lockFolder } = await import('./src/shared/system/lock.ts');
    const release = lockFolder(process.env.DATA_DIR, 'hub');
    console.log('up');
    setInterval(() => release.name, 1_000);`;
  const other = Bun.spawn([process.execPath, '-e', script], {
    cwd: join(import.meta.dir, '../..'),
    env: { DATA_DIR: join(folder, 'data') },
    stdout: 'pipe',
  });
  try {
    await other.stdout.getReader().read();
    expect(await restart()).toEqual(refusal('another command'));
    expect(other.exitCode).toBeNull();
  } finally {
    other.kill();
    await other.exited;
  }
});

test('applies settings while the same Caddy answers every request', async () => {
  const { child, output } = await start();
  await askLocalHub(
    { DATA_DIR: join(folder, 'data') },
    {
      method: 'POST',
      path: '/vhosts',
      body: { domain: `http://a.example:${httpPort}`, config: 'respond "here"' },
      headers: { 'Content-Type': 'application/json' },
    },
  );
  const [caddy] = caddies();
  const answers: string[] = [];
  let isOver = false;
  const visits = (async () => {
    while (!isOver) {
      answers.push(await site().then(({ text }) => text, String));
      await Bun.sleep(5);
    }
  })();
  await until(() => answers.length > 5, 'visits');
  const port = freePort();
  setting(`HUB_PORT=${port}`);
  expect(await restart()).toEqual({ code: 0, out: '', err: '' });
  expect([await isHub(hubPort), await isHub(port)]).toEqual([false, true]);
  await until(() => output.err.includes('proxy adopted'), 'that Caddy is adopted');
  const seen = answers.length;
  await until(() => answers.length > seen + 5, 'visits');
  isOver = true;
  await visits;
  expect(new Set(answers)).toEqual(new Set(['here']));
  expect([caddies(), child.exitCode]).toEqual([[caddy as number], null]);

  // Once more, and its Caddy ends with it.
  expect((await restart()).code).toBe(0);
  child.kill('SIGTERM');
  expect([(await program?.exited())?.code, caddies()]).toEqual([0, []]);
});

test('asked to stop as it restarts, it stops with its Caddy', async () => {
  const { child, exited } = await start();
  child.kill('SIGUSR2');
  child.kill('SIGTERM');
  const { code, err } = await exited();
  expect([code, caddies()]).toEqual([0, []]);
  expect(err).not.toContain('proxy adopted');
});
