// proof: agent
/** What an agent does with a Caddy that an earlier, killed one left behind. */
import { afterEach, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCaddies, pidFileOf, processOf } from '../../../../agent/caddy/process/processes.ts';
import { readSettings } from '../../../../src/program/config.ts';
import { caddiesOf } from '../../../harness/caddys.ts';
import { mayMount } from '../../../harness/mount.ts';
import {
  freePort,
  machine,
  portSettings,
  type Stack,
  startStack,
  temporaryFolder,
  until,
} from '../../../harness/stack.ts';

let stack: Stack | undefined;
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});

const reload = (of: Stack, text: string) =>
  of.askAgent('/proxy/reload', {
    proxyfile: `http://a.example:${of.httpPort} {\n\trespond ${text}\n}\n`,
  });
const caddies = (of: Stack) => caddiesOf(of.dataDir);

describe('a managed Caddy', () => {
  test('that outlived a killed agent is adopted, and told from whatever else names its file', async () => {
    const { folder, env } = killedAgent();
    const left = await leaveBehind(env, 1);
    const mark = pidFileOf(join(env.DATA_DIR, 'caddy'));
    const others = [
      ['tail', '-f', mark],
      ['sh', '-c', 'read line; exit', 'run', mark],
      [process.execPath, 'run', '-', '--config', mark],
    ].map((command) => Bun.spawn(command, { stdin: 'pipe', stdout: 'ignore', stderr: 'ignore' }));
    stack = await startStack(env, folder);
    // They are left alone.
    expect(others.map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([
      null,
      null,
      null,
    ]);
    expect(caddies(stack).map(({ pid }) => pid)).toEqual(left);
    expect(stack.lines.join('\n')).toContain('proxy adopted');
    expect((await reload(stack, 'adopted')).status).toBe(200);
    expect((await stack.served('a.example')).text).toBe('adopted');
    for (const other of others) {
      other.kill('SIGKILL');
      await other.exited;
    }
  });

  test.skipIf(!mayMount)(
    'is told from one in a container, where the same path is another file',
    async () => {
      const { folder, env } = killedAgent();
      const left = await leaveBehind(env, 1);
      const mark = pidFileOf(join(env.DATA_DIR, 'caddy'));
      const script =
        'mount -t tmpfs tmpfs "$1" && mkdir -p "$(dirname "$2")" && exec caddy run --config - --pidfile "$2"';
      const container = Bun.spawn(['unshare', '-m', 'sh', '-c', script, 'sh', env.DATA_DIR, mark], {
        env: { PATH: process.env.PATH ?? '', HOME: folder },
        stdio: [new Blob(['{"admin":{"disabled":true}}']), 'ignore', 'ignore'],
      });
      const commandLine = () => readFileSync(`/proc/${container.pid}/cmdline`, 'utf8');
      await until(() => commandLine().startsWith('caddy'), 'its own namespace');
      stack = await startStack(env, folder);
      expect([container.exitCode, container.signalCode]).toEqual([null, null]);
      expect(caddies(stack).map(({ pid }) => pid)).toEqual(left);
      container.kill('SIGKILL');
      await container.exited;
    },
  );

  test.skipIf(!mayMount).each([
    ['mounts', ['unshare', '-m']],
    ['a network', ['unshare', '-n']],
  ])('that an agent with %s of its own left behind is stopped first', async (_, prefix) => {
    const { folder, env } = killedAgent();
    const left = await leaveBehind(env, 1, prefix);
    stack = await startStack(env, folder);
    expect(left.filter((pid) => processOf(pid) !== null)).toEqual([]);
    expect(caddies(stack).length).toBe(1);
    expect((await reload(stack, 'fresh')).status).toBe(200);
    expect((await stack.served('a.example')).text).toBe('fresh');
  });

  test('that was left with other settings, or twice, is stopped first, so there are never two', async () => {
    const { folder, env } = killedAgent();
    const left = await leaveBehind(env, 2);
    stack = await startStack(env, folder);
    const now = caddies(stack).map(({ pid }) => pid);
    expect(now.length).toBe(1);
    expect(left).not.toContain(now[0]);
    expect((await reload(stack, 'fresh')).status).toBe(200);
  });
});

describe('a folder that got another name while its Caddy went on', () => {
  test.each([
    ['a link', symlinkSync],
    ['a move', renameSync],
  ])('by %s is known by its Caddy, so there are never two', async (_, rename) => {
    const { env } = killedAgent();
    const left = await leaveBehind(env, 1);
    const folder = temporaryFolder();
    const DATA_DIR = join(folder, 'data');
    rename(env.DATA_DIR, DATA_DIR);
    stack = await startStack({ ...env, DATA_DIR }, folder);
    expect((await reload(stack, 'renamed')).status).toBe(200);
    expect((await stack.served('a.example')).text).toBe('renamed');
    expect(left.filter((pid) => processOf(pid) !== null)).toEqual([]);
    expect(caddies(stack).length).toBe(1);
  });

  test('is not taken for its copy', async () => {
    const { folder, env } = killedAgent();
    const [left] = await leaveBehind(env, 1);
    const copy = temporaryFolder();
    const DATA_DIR = join(copy, 'data');
    cpSync(env.DATA_DIR, DATA_DIR, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    stack = await startStack({ ...env, DATA_DIR, ...portSettings() }, copy);
    expect(findCaddies(join(folder, 'data', 'caddy'), 'caddy').map(({ pid }) => pid)).toEqual([
      left ?? 0,
    ]);
    process.kill(left ?? 0, 'SIGKILL');
  });
});

const LEFT_TOKEN = 'left-behind-'.repeat(3);

function killedAgent() {
  const folder = temporaryFolder();
  const env = {
    PROXY_HTTP_PORT: String(freePort()),
    PROXY_HTTPS_PORT: String(freePort()),
    DATA_DIR: join(folder, 'data'),
  };
  mkdirSync(env.DATA_DIR);
  writeFileSync(join(env.DATA_DIR, 'agent-token'), LEFT_TOKEN);
  return { folder, env };
}

/** Leaves Caddys running, as a killed agent does. @param prefix what the agent's command line started with */
async function leaveBehind(
  env: Record<string, string>,
  howMany: number,
  prefix: readonly string[] = [],
): Promise<number[]> {
  const script = `
    import { readSettings } from ${JSON.stringify(join(import.meta.dir, '../../../../src/program/config.ts'))};
    import { createProxy } from ${JSON.stringify(join(import.meta.dir, '../../../../agent/caddy/proxy.ts'))};
    const machine = { readFile: () => '', which: (name) => Bun.which(name) };
    const { agent } = readSettings('all', process.env, machine);
    const proxy = createProxy(agent.proxy, ${JSON.stringify(LEFT_TOKEN)}, () => {});
    await proxy.start();
    process.kill(process.pid, 'SIGKILL');
  `;
  const { agent } = readSettings('all', { ...env, PATH: process.env.PATH }, machine);
  const { bin, admin } = agent.proxy;
  const folder = agent.proxy.managed?.folder ?? '';
  await Bun.spawn([...prefix, process.execPath, '-e', script], {
    env: { ...env, PATH: process.env.PATH ?? '' },
    stdin: 'ignore',
  }).exited;
  for (let more = 1; more < howMany; more++) {
    Bun.spawn([bin, 'run', '--config', '-', '--pidfile', pidFileOf(folder)], {
      env: agent.proxy.env,
      stdio: [new Blob([JSON.stringify({ admin: { listen: admin } })]), 'ignore', 'ignore'],
    }).unref();
  }
  return until(() => {
    const found = findCaddies(folder, bin).map(({ pid }) => pid);
    return found.length === howMany && found;
  });
}
