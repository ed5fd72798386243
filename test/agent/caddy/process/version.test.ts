/** Which Caddy runs: programs that are refused, and a program that is replaced under its agent. */
import { afterEach, describe, expect, test } from 'bun:test';
import { copyFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertSupported } from '../../../../agent/caddy/process/program.ts';
import { CADDYS, caddiesOf } from '../../../harness/caddys.ts';
import {
  ask,
  freePort,
  type Stack,
  signUp,
  startStack,
  temporaryFolder,
  until,
} from '../../../harness/stack.ts';

let stack: Stack | undefined;
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});

const printed = (bin: string) =>
  Bun.spawnSync([bin, 'version']).stdout.toString().trim().replace(/^v/, '').split(' ')[0] ?? '';

/** Stand-ins: no repository has a Caddy that old, and other programs ignore the word `version`. */
function standIn(script: string) {
  const folder = temporaryFolder();
  const bin = join(folder, 'caddy');
  writeFileSync(bin, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { folder, bin };
}

test.each([
  ['a Caddy that is too old', 'echo "v2.6.1 h1:abc="', 'is Caddy 2.6.1'],
  ['the previous major version', 'echo "v1.0.5 (h1:abc=)"', 'is Caddy 1.0.5'],
  ['a program that prints something else', 'echo "hugo v0.131.0"', 'is not Caddy'],
  ['a program that knows no such command', 'echo "usage" >&2; exit 2', 'is not Caddy'],
])('%s is refused', async (_, script, reason) => {
  const { folder, bin } = standIn(script);
  await expect(assertSupported({ bin, prefix: [], env: {} })).rejects.toThrow(
    `PROXY_BIN (${bin}) ${reason}: signalbox needs Caddy 2.6.2 or newer`,
  );
  rmSync(folder, { recursive: true });
});

test('nothing starts with a Caddy that is refused', async () => {
  const { folder, bin } = standIn('echo "v2.6.1 h1:abc="');
  const started = startStack({ PROXY_BIN: bin }, folder);
  await expect(started.then((running) => running.stop())).rejects.toThrow(
    `PROXY_BIN (${bin}) is Caddy 2.6.1: signalbox needs Caddy 2.6.2 or newer`,
  );
});

type Status = { proxy: { running: boolean; version: string | null } };
const statusOf = async (of: Stack, headers: Record<string, string>) =>
  (await ask<Status>(`${of.hub}/status`, { headers })).body.proxy;

/** One argument since 2.7, and unknown directives before. */
const HEREDOC = 'respond <<END\n\there\n\tEND';

/** Stays in its own block before 2.7; newer versions read the first brace as text, and leave it. */
const escaping = (port: number) =>
  `respond /a <<X\nx\n{\nX\n}\nhttp://evil.example:${port} {\nrespond <<Y\nevil\n}\nY`;

const [installed, next] = CADDYS;

/** Puts a copy of a program where another one runs. */
function place(of = '', bin: string): void {
  copyFileSync(Bun.which(of) ?? of, `${bin}.new`);
  renameSync(`${bin}.new`, bin);
}

describe.skipIf(next === undefined)('a program that is replaced under its agent', () => {
  test.each([
    ['by a newer one', installed, next, ['remote_ip', 'client_ip'] as const],
    ['by an older one', next, installed, ['client_ip', 'remote_ip'] as const],
  ])(
    '%s counts from the next start of Caddy, and the policies get its words',
    async (_, from, to, [before, after]) => {
      const folder = temporaryFolder();
      const bin = join(folder, 'caddy');
      place(from?.bin, bin);
      // Alone, the core runs whatever is there.
      const of = await startStack({ PROXY_BIN: bin, SIGNALBOX_FEATURES: '' }, folder);
      stack = of;
      const { headers } = await signUp(of);
      const values = { networks: ['203.0.113.0/24'] };
      await ask(`${of.hub}/policies`, { json: { name: 'far', recipe: 'allow', values }, headers });
      const create = (domain: string, config: string, policies: string[] = []) =>
        ask<{ id: number }>(`${of.hub}/vhosts`, {
          json: { domain: `http://${domain}:${of.httpPort}`, config, policies },
          headers,
        });
      const isServed = (domain: string, status: number) =>
        until(async () => (await of.served(domain).catch(() => null))?.status === status, domain);
      expect((await create('a.example', 'respond first')).status).toBe(201);
      expect((await create('far.example', 'respond far', ['far'])).status).toBe(201);
      expect(of.readProxyfile()).toContain(`not ${before} `);

      place(to?.bin, bin);
      expect((await statusOf(of, headers)).version).toBe(printed(from?.bin ?? ''));
      process.kill(caddiesOf(of.dataDir, bin)[0]?.pid ?? 0, 'SIGKILL');
      await isServed('a.example', 200);
      expect((await create('b.example', escaping(of.httpPort))).status).not.toBe(201);
      expect((await of.served('evil.example')).text).not.toContain('evil');
      const heredoc = await create('b.example', HEREDOC);
      expect(heredoc.status === 201).toBe(to === next);
      expect(await statusOf(of, headers)).toEqual({
        running: true,
        version: printed(to?.bin ?? ''),
      });
      expect((await create('c.example', 'respond third')).status).toBe(201);
      expect((await of.served('c.example')).text).toBe('third');
      expect(of.readProxyfile()).toContain(`not ${after} `);
      await isServed('far.example', 403);
      expect(caddiesOf(of.dataDir, bin).length).toBe(1);
      if (to === next) {
        await ask(`${of.hub}/vhosts/${heredoc.body.id}`, { method: 'DELETE', headers });
      }

      // And back, while everything is stopped: nobody else's sites are suspected.
      await of.restart(() => place(from?.bin, bin));
      await until(() => of.readProxyfile().includes(`not ${before} `), 'the words of this Caddy');
      await isServed('far.example', 403);
      expect(readdirSync(of.dataDir).filter((name) => name.includes('.changed-'))).toEqual([]);
      expect(of.lines.filter((line) => line.includes('with other sites'))).toEqual([]);
    },
  );
});

describe('beside a Caddy that another program starts', () => {
  test.skipIf(next === undefined)('the version is read again with each of its starts', async () => {
    const folder = temporaryFolder();
    const bin = join(folder, 'caddy');
    const admin = `localhost:${freePort()}`;
    const start = async (of = '') => {
      place(of, bin);
      const child = Bun.spawn([bin, 'run', '--config', '-'], {
        env: { PATH: process.env.PATH ?? '', HOME: folder },
        stdio: [new Blob([JSON.stringify({ admin: { listen: admin } })]), 'ignore', 'ignore'],
      });
      await until(() =>
        fetch(`http://${admin}/config/`).then(
          () => true,
          () => false,
        ),
      );
      return child;
    };
    const first = await start(installed?.bin);
    stack = await startStack(
      { PROXY_BIN: bin, PROXY_MANAGED: 'false', PROXY_ADMIN: admin },
      folder,
    );
    const { headers } = await signUp(stack);
    expect((await statusOf(stack, headers)).version).toBe(printed(installed?.bin ?? ''));
    first.kill('SIGKILL');
    await first.exited;
    const second = await start(next?.bin);
    expect((await statusOf(stack, headers)).version).toBe(printed(next?.bin ?? ''));
    second.kill('SIGKILL');
    await second.exited;
  });
});
