/** Which Caddy runs: programs that are refused, and a program that is replaced under its agent. */
import { afterEach, describe, expect, test } from 'bun:test';
import { copyFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CADDYS, caddiesOf } from '../../../../harness/caddys.ts';
import {
  ask,
  freePort,
  type Stack,
  signUp,
  startStack,
  temporaryFolder,
  until,
} from '../../../../harness/stack.ts';

let stack: Stack | undefined;
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});

const printed = (bin: string) =>
  Bun.spawnSync([bin, 'version']).stdout.toString().trim().replace(/^v/, '').split(' ')[0] ?? '';

describe('a start is refused with', () => {
  /** Stand-ins: no repository has a Caddy that old, and other programs ignore the word `version`. */
  test.each([
    ['a Caddy that is too old', 'echo "v2.6.1 h1:abc="', 'is Caddy 2.6.1'],
    ['the previous major version', 'echo "v1.0.5 (h1:abc=)"', 'is Caddy 1.0.5'],
    ['a program that prints something else', 'echo "hugo v0.131.0"', 'is not Caddy'],
    ['a program that knows no such command', 'echo "usage" >&2; exit 2', 'is not Caddy'],
  ])('%s', async (_, script, reason) => {
    const folder = temporaryFolder();
    const bin = join(folder, 'caddy');
    writeFileSync(bin, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const started = startStack({ PROXY_BIN: bin }, folder);
    expect(started.then((running) => running.stop())).rejects.toThrow(
      `PROXY_BIN (${bin}) ${reason}: signalbox needs Caddy 2.6.2 or newer`,
    );
    await started.catch(() => undefined);
  });
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

describe.skipIf(next === undefined)('a program that is replaced under its agent', () => {
  test.each([
    ['by a newer one', installed, next],
    ['by an older one', next, installed],
  ])('%s counts from the next start of Caddy', async (_, from, to) => {
    const folder = temporaryFolder();
    const bin = join(folder, 'caddy');
    const place = (of = '') => {
      copyFileSync(Bun.which(of) ?? of, `${bin}.new`);
      renameSync(`${bin}.new`, bin);
    };
    place(from?.bin);
    stack = await startStack({ PROXY_BIN: bin }, folder);
    const of = stack;
    const { headers } = await signUp(stack);
    const create = (domain: string, config: string) =>
      ask(`${of.hub}/vhosts`, {
        json: { domain: `http://${domain}:${of.httpPort}`, config },
        headers,
      });
    expect((await create('a.example', 'respond first')).status).toBe(201);

    place(to?.bin);
    expect((await statusOf(stack, headers)).version).toBe(printed(from?.bin ?? ''));
    process.kill(caddiesOf(stack.dataDir, bin)[0]?.pid ?? 0, 'SIGKILL');
    await until(async () => (await of.served('a.example').catch(() => null))?.text === 'first');
    expect((await create('b.example', escaping(stack.httpPort))).status).not.toBe(201);
    expect((await stack.served('evil.example')).text).not.toContain('evil');
    expect((await create('b.example', HEREDOC)).status === 201).toBe(to === next);
    expect(await statusOf(stack, headers)).toEqual({
      running: true,
      version: printed(to?.bin ?? ''),
    });
    expect((await create('c.example', 'respond third')).status).toBe(201);
    expect((await stack.served('c.example')).text).toBe('third');
    expect(caddiesOf(stack.dataDir, bin).length).toBe(1);
  });

  test.each([
    ['a newer one', installed, next, /basicauth/, /basic_auth/],
    ['an older one', next, installed, /basic_auth/, /basicauth/],
  ])(
    'by %s gets policies in its own words, and nobody else’s sites are suspected',
    async (...of) => {
      const [, from, to, before, after] = of;
      const folder = temporaryFolder();
      const bin = join(folder, 'caddy');
      const place = (one = '') => {
        copyFileSync(Bun.which(one) ?? one, `${bin}.new`);
        renameSync(`${bin}.new`, bin);
      };
      place(from?.bin);
      const running = await startStack({ PROXY_BIN: bin }, folder);
      stack = running;
      const { headers } = await signUp(stack);
      const create = (path: string, json: object) =>
        ask(`${running.hub}${path}`, { json, headers });
      const users = [{ name: 'ada', password: 'open' }];
      await create('/policies', { name: 'door', recipe: 'basic-auth', values: { users } });
      const domain = `http://a.example:${stack.httpPort}`;
      await create('/vhosts', { domain, config: 'respond a', policies: ['door'] });
      expect(stack.readProxyfile()).toMatch(before);

      await stack.restart(() => place(to?.bin));
      await until(() => after.test(running.readProxyfile()));
      await until(
        async () => (await running.served('a.example').catch(() => null))?.status === 401,
      );
      expect(readdirSync(stack.dataDir).filter((name) => name.includes('.changed-'))).toEqual([]);
      expect(stack.lines.filter((line) => line.includes('with other sites'))).toEqual([]);
    },
  );
});

describe('beside a Caddy that another program starts', () => {
  test.skipIf(next === undefined)('the version is read again with each of its starts', async () => {
    const folder = temporaryFolder();
    const bin = join(folder, 'caddy');
    const admin = `localhost:${freePort()}`;
    const start = async (of = '') => {
      copyFileSync(Bun.which(of) ?? of, `${bin}.new`);
      renameSync(`${bin}.new`, bin);
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
