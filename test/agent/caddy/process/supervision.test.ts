// proof: agent
/** What an agent makes of a Caddy that ends, does not answer, or cannot be looked at. */
import { afterEach, describe, expect, test } from 'bun:test';
import { chmodSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { AdminUnreachable } from '../../../../agent/caddy/admin.ts';
import { createMuteWatch } from '../../../../agent/caddy/process/mute-watch.ts';
import { createSparseLog, pauseAfter } from '../../../../agent/caddy/process/supervisor.ts';
import { PACE } from '../../../../agent/pace.ts';
import { caddiesOf } from '../../../harness/caddys.ts';
import { FULL } from '../../../harness/full.ts';
import { runProgram } from '../../../harness/program.ts';
import { limit } from '../../../harness/speed.ts';
import {
  ask,
  portSettings,
  type Stack,
  signUp,
  startStack,
  temporaryFolder,
  until,
} from '../../../harness/stack.ts';

const bin = 'caddy';

let stack: Stack | undefined;
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});

const reload = (of: Stack) =>
  of.askAgent('/proxy/reload', {
    proxyfile: `http://a.example:${of.httpPort} {\n\trespond here\n}\n`,
  });
const isServed = async (of: Stack) =>
  (await of.served('a.example').catch(() => null))?.text === 'here';

describe('Caddy', () => {
  test(
    'whose folder was emptied is started again, and its sites are served',
    async () => {
      stack = await startStack({ PROXY_BIN: bin });
      const of = stack;
      expect((await reload(of)).status).toBe(200);
      const folder = join(of.dataDir, 'caddy');
      const [before] = caddiesOf(of.dataDir, bin);
      // What Caddy itself removes meanwhile is gone as well.
      for (const name of readdirSync(folder)) {
        rmSync(join(folder, name), { recursive: true, force: true });
      }
      await until(async () => (await reload(of)).status === 200, 'a change to go through', 60_000);
      expect(await isServed(of)).toBe(true);
      const after = caddiesOf(of.dataDir, bin);
      expect(after.length).toBe(1);
      expect(after[0]?.pid).not.toBe(before?.pid);
      expect(of.lines.join('\n')).toContain('proxy mute');
    },
    limit(90_000),
  );
});

describe('the rights of the data folder', () => {
  const statusOf = (of: Stack) => of.askAgent<{ warnings: string[] }>('/proxy/status');
  const warnings = async (of: Stack) => (await statusOf(of)).body.warnings.join('\n');
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  function killCaddy(of: Stack): void {
    for (const { pid } of caddiesOf(of.dataDir)) process.kill(pid, 'SIGKILL');
  }

  test('are mended if everyone may read it, and a secret that was open is named', async () => {
    stack = await startStack();
    const of = stack;
    const run = join(of.dataDir, 'caddy', 'run');
    expect((await reload(of)).status).toBe(200);
    const open = () => Bun.spawnSync(['chmod', '-R', 'a+rX', of.dataDir]);
    open();
    killCaddy(of);
    await until(() => isServed(of), 'Caddy to be back');
    expect(modeOf(run)).toBe('700');
    expect(await warnings(of)).not.toContain('agent-token');
    await of.restart(() => open());
    expect(await warnings(of)).toContain('Other users of this machine can read agent-token');
    expect(modeOf(run)).toBe('700');
    await until(() => isServed(of), 'the site');
  });

  test(
    'are named, with the cure, where someone else may have put a socket there',
    async () => {
      stack = await startStack();
      const of = stack;
      const run = join(of.dataDir, 'caddy', 'run');
      expect((await reload(of)).status).toBe(200);
      chmodSync(run, 0o777);
      killCaddy(of);
      const said = await until(async () => {
        const found = await warnings(of);
        return found.includes('Caddy cannot be started') && found;
      }, 'the reason');
      expect(said).toContain('DATA_DIR/caddy/run must be owned by');
      expect(said).toContain('chmod -R go= DATA_DIR/caddy');
      expect(said).not.toContain(of.folder);
      // The hub has it as the one reason why Caddy is down, wherever that is shown.
      const { headers } = await signUp(of);
      type Seen = { problems: { code: string; message: string }[]; agents: { state: string }[] };
      const seen = await until(async () => {
        const { body } = await ask<Seen>(`${of.hub}/status`, { headers });
        const isSeen = body.agents[0]?.state === 'unreachable';
        return isSeen && body.problems[0]?.code === 'PROXY_DOWN' && body;
      }, 'the problem');
      const named = expect.stringContaining('Caddy cannot be started: DATA_DIR/caddy/run');
      expect(seen.problems.filter(({ message }) => message.includes('cannot be started'))).toEqual([
        expect.objectContaining({ code: 'PROXY_DOWN', message: named }),
      ]);
      expect(seen.agents).toMatchObject([{ state: 'unreachable', detail: named }]);
      chmodSync(run, 0o700);
      await until(() => isServed(of), 'Caddy to be back', 60_000);
      expect(await warnings(of)).not.toContain('Caddy cannot be started');
    },
    limit(90_000),
  );
});

/** A stand-in: a real Caddy does not end at once. */
test('a pause is never longer than what was served before, nor than five seconds', () => {
  const of = (failures: number, lived: number | null) =>
    pauseAfter(failures, lived, PACE.supervise);
  expect([0, 1, 6, 99].map((failures) => of(failures, null))).toEqual([200, 500, 30_000, 30_000]);
  expect([0, 3, 6, 99].map((failures) => of(failures, 59_000))).toEqual([200, 2_000, 5_000, 5_000]);
  expect([50, 900, 4_000].map((lived) => of(6, lived))).toEqual([200, 900, 4_000]);
});

test('a program that is gone is named', async () => {
  const link = join(temporaryFolder(), 'caddy');
  const make = () => symlinkSync(Bun.which(bin) ?? '', link);
  make();
  stack = await startStack({ PROXY_BIN: link });
  const of = stack;
  rmSync(link);
  for (const { pid } of caddiesOf(of.dataDir)) process.kill(pid, 'SIGKILL');
  const fault = await until(async () => {
    const status = `${of.agent}/proxy/status`;
    return (await ask<{ fault?: string }>(status, { headers: of.agentHeaders })).body.fault;
  });
  expect(fault).toBe(`Caddy cannot be started: there is no program at ${link}.`);
  make();
});

test('a Caddy that ends at once is tried again, and the agent answers meanwhile', async () => {
  const folder = temporaryFolder();
  const bin = join(folder, 'caddy');
  const script = (run: string) => `#!/bin/sh\n[ "$1" = run ] && ${run}\nexec caddy "$@"\n`;
  writeFileSync(bin, script('exit 1'), { mode: 0o755 });
  stack = await startStack({ PROXY_BIN: bin }, folder);
  const of = stack;
  await until(() => of.lines.filter((line) => line.includes('proxy not started')).length > 2);
  expect((await ask(`${of.agent}/health`)).status).toBe(200);
  expect((await reload(of)).status).toBe(502);
  writeFileSync(bin, script('true'), { mode: 0o755 });
  await until(async () => (await reload(of)).status === 200, 'a change to go through', 30_000);
});

test('what fails for ever is logged once a minute, and how it ended as well', () => {
  let now = 0;
  const lines: string[] = [];
  const { say, settle } = createSparseLog(
    (event) => lines.push(event),
    PACE.supervise.say,
    () => now,
  );
  for (; now < 600_000; now += 5_000) say(`failed at ${now}`);
  expect(lines.length).toBeLessThan(16);
  expect(lines.slice(0, 3)).toEqual(['failed at 0', 'failed at 5000', 'failed at 10000']);
  say('started');
  settle();
  expect(lines.at(-1)).toBe('started');
  say('ended');
  expect(lines.at(-1)).toBe('ended');
});

describe('a Caddy is not taken for mute', () => {
  /** Stands in for an admin endpoint, and for the time. */
  async function isMuteAfter(questions: number, failure: (question: number) => unknown) {
    let now = 0;
    let asked = 0;
    const watch = createMuteWatch(
      {
        async knock() {
          asked++;
          throw new AdminUnreachable('', { cause: failure(asked) });
        },
      },
      PACE.supervise,
      () => now,
    );
    while (asked < questions) {
      now += 5_000;
      watch.isMute();
      await Bun.sleep(0);
    }
    return watch.isMute();
  }
  const silence = new DOMException('', 'TimeoutError');

  test('by an agent that has no descriptor left to ask with', async () => {
    const lack = Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
    expect(await isMuteAfter(100, () => lack)).toBe(false);
    expect(await isMuteAfter(100, () => silence)).toBe(true);
  });

  test('by an agent that was itself stopped for a while', async () => {
    let now = 0;
    let isBack = false;
    const watch = createMuteWatch(
      {
        async knock() {
          if (isBack) return;
          now += 40_000;
          isBack = true;
          throw new AdminUnreachable('', { cause: silence });
        },
      },
      PACE.supervise,
      () => now,
    );
    now = 5_000;
    watch.isMute();
    await Bun.sleep(0);
    expect(watch.isMute()).toBe(false);
    await Bun.sleep(0);
    expect(watch.isMute()).toBe(false);
  });
});

/** The default of most systems, and for quickness fewer. */
test.each(FULL ? [64, 1024] : [64])(
  'with %i descriptors and idle connections to the hub, Caddy goes on',
  async (most) => {
    const folder = temporaryFolder();
    const dataDir = join(folder, 'data');
    const ports = portSettings();
    const program = runProgram([], { ...ports, DATA_DIR: dataDir }, folder, {
      prefix: ['prlimit', `--nofile=${most}:${most}`],
    });
    const idle: Socket[] = [];
    try {
      const hub = new URL(await program.address('hub'));
      const [before] = caddiesOf(dataDir);
      for (let left = most; left > 0; left--) {
        idle.push(connect(Number(hub.port), hub.hostname).on('error', () => {}));
      }
      // The hub looks every two seconds, the agent at its Caddy four times as often.
      await until(() => program.output.err.includes('not in step'), 'a lack of descriptors');
      expect(caddiesOf(dataDir)).toEqual(before ? [before] : []);
      for (const socket of idle) socket.destroy();
      program.child.kill('SIGTERM');
      const { err } = await program.exited();
      expect(err).not.toContain('proxy ended');
      expect(caddiesOf(dataDir)).toEqual([]);
    } finally {
      for (const socket of idle) socket.destroy();
      program.child.kill('SIGKILL');
      for (const { pid } of caddiesOf(dataDir)) process.kill(pid, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
