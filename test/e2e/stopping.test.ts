/** However the program is stopped, it stops its Caddy as well. */
import { afterEach, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { caddiesOf } from '../harness/caddys.ts';
import { mayMount, mountReadOnly, unmount } from '../harness/mount.ts';
import { type Program, runProgram } from '../harness/program.ts';
import { ask, portSettings, temporaryFolder, until } from '../harness/stack.ts';

const bin = 'caddy';

let program: Program | undefined;
let folder = '';
afterEach(() => {
  program?.child.kill('SIGKILL');
  for (const { pid } of caddiesOf(join(folder, 'data'))) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function start(bin = 'caddy', prefix: readonly string[] = []): Promise<Program> {
  folder = temporaryFolder();
  const env = { ...portSettings(), DATA_DIR: join(folder, 'data'), PROXY_BIN: bin };
  program = runProgram([], env, folder, { prefix });
  await program.address('agent');
  await until(() => caddiesOf(join(folder, 'data'), bin).length === 1, 'Caddy');
  // It listens for signals once it has said how to begin.
  await until(() => program?.output.out.includes('There is no account yet'), 'the first words');
  return program;
}

describe('with Caddy', () => {
  test('a terminal that is closed', async () => {
    const { child, exited } = await start(bin);
    child.kill('SIGHUP');
    expect(await exited()).toMatchObject({ code: 0 });
    expect(caddiesOf(join(folder, 'data'), bin)).toEqual([]);
  });

  test.skipIf(!mayMount)('a file system that has become read-only', async () => {
    const { child, exited } = await start(bin);
    const data = join(folder, 'data');
    expect(mountReadOnly(data)).toBe(true);
    try {
      child.kill('SIGTERM');
      const { code, err } = await exited();
      expect([code, err]).toEqual([1, expect.stringContaining('stop failed')]);
      expect(caddiesOf(data, bin)).toEqual([]);
    } finally {
      unmount(data);
    }
  });
});

test('with nohup, it goes on after the terminal is closed', async () => {
  const { child, address, exited } = await start('caddy', ['nohup']);
  child.kill('SIGHUP');
  expect((await ask(`${await address('agent')}/health`)).status).toBe(200);
  child.kill('SIGTERM');
  const { code, err } = await exited();
  expect(code).toBe(0);
  expect(err).toContain('signal=SIGTERM');
});

test.skipIf(process.getuid?.() !== 0)('as root, it says who runs as whom', async () => {
  const { output } = await start();
  expect(output.err).toContain('Hub and agent run in one process as root');
  expect(output.err).toContain('`signalbox install` gives hub and agent separate users');
});
