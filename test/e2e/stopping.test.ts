// proof: program
/** However the program is stopped, it stops its Caddy as well. */
import { afterEach, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { caddiesOf } from '../harness/caddys.ts';
import { mayMount, mountReadOnly, unmount } from '../harness/mount.ts';
import { type Program, runProgram } from '../harness/program.ts';
import { ask, freePort, portSettings, temporaryFolder, until } from '../harness/stack.ts';
import { isRoot } from '../harness/unprivileged.ts';

let program: Program | undefined;
let folder = '';
afterEach(() => {
  program?.child.kill('SIGKILL');
  for (const { pid } of caddiesOf(join(folder, 'data'))) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function run(more: Record<string, string> = {}, prefix: readonly string[] = []): Program {
  folder = temporaryFolder();
  const env = { ...portSettings(), DATA_DIR: join(folder, 'data'), ...more };
  program = runProgram([], env, folder, { prefix });
  return program;
}

async function start(prefix: readonly string[] = []): Promise<Program> {
  const started = run({}, prefix);
  await until(() => caddiesOf(join(folder, 'data')).length === 1, 'Caddy');
  return started;
}

async function started(prefix: readonly string[] = []): Promise<Program> {
  const it = await start(prefix);
  await it.address('agent');
  return it;
}

describe('while it starts', () => {
  test.each(['AGENT_PORT', 'HUB_PORT'])('as soon as %s answers', async (name) => {
    const port = freePort();
    const { child, exited } = run({ [name]: String(port) });
    const health = `http://127.0.0.1:${port}${name === 'HUB_PORT' ? '/api' : ''}/health`;
    const answers = () =>
      fetch(health).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await answers())) await Bun.sleep(1);
    child.kill('SIGTERM');
    const { code, err } = await exited();
    expect(caddiesOf(join(folder, 'data'))).toEqual([]);
    expect([code, err]).toEqual([0, expect.stringContaining('signal=SIGTERM')]);
  });

  test('as soon as Caddy runs', async () => {
    const { child, exited } = await start();
    child.kill('SIGTERM');
    expect(await exited()).toMatchObject({ code: 0 });
    expect(caddiesOf(join(folder, 'data'))).toEqual([]);
  });
});

describe('with Caddy', () => {
  test('a terminal that is closed, on which root was told who runs as whom', async () => {
    const { child, exited } = await started();
    child.kill('SIGHUP');
    const { code, err } = await exited();
    expect(code).toBe(0);
    expect(err.includes('Hub and agent run in one process as root')).toBe(isRoot);
    expect(err.includes('`signalbox install` gives hub and agent separate users')).toBe(isRoot);
    expect(caddiesOf(join(folder, 'data'))).toEqual([]);
  });

  test.skipIf(!mayMount)('a file system that has become read-only', async () => {
    const { child, exited } = await started();
    const data = join(folder, 'data');
    expect(mountReadOnly(data)).toBe(true);
    try {
      child.kill('SIGTERM');
      const { code, err } = await exited();
      expect([code, err]).toEqual([0, expect.not.stringContaining('stop failed')]);
      expect(caddiesOf(data)).toEqual([]);
    } finally {
      unmount(data);
    }
  });
});

test('with nohup, it goes on after the terminal is closed', async () => {
  const { child, address, exited } = await started(['nohup']);
  child.kill('SIGHUP');
  expect((await ask(`${await address('agent')}/health`)).status).toBe(200);
  child.kill('SIGTERM');
  const { code, err } = await exited();
  expect(code).toBe(0);
  expect(err).toContain('signal=SIGTERM');
});
