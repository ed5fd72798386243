/** The problems and advisories in `/status`. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { obstaclesOf } from '../../../src/hub/model/obstacles.ts';
import { EMPTY_SET, type SiteSet, type Vhost } from '../../../src/hub/model/vhost.ts';
import { ADVISORIES_AS_OF, advisoriesFor, SAFE_VERSION } from '../../../src/shared/advisories.ts';
import { caddyIs } from '../../harness/caddys.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { limit } from '../../harness/speed.ts';
import { ask, freePort, signUp, startStack, temporaryFolder, until } from '../../harness/stack.ts';
import { storedVhost } from '../../harness/vhost.ts';

type Status = {
  problems: { code: string; level: string; vhost?: object; since: string; message: string }[];
  proxy: { version: string };
  checking: number;
  advisories: { id: string }[] | null;
  advisoriesAsOf: string;
  beforeUpgrade: { vhost?: { id: number }; line: number; detail: string; instead: string }[];
  upgrade: string | null;
};

const owner = await forFile(startOwner());

test('/status names the advisories that affect the proxy', async () => {
  const { body } = await owner.call<Status>('GET', '/status');
  const printed = Bun.spawnSync(['caddy', 'version']).stdout.toString();
  expect(printed).toContain(body.proxy.version);
  expect(body.advisories).toEqual(advisoriesFor(printed.trim()));
  expect(body.advisoriesAsOf).toBe(ADVISORIES_AS_OF);
  if (body.advisories?.length === 0) expect(body.upgrade).toBeNull();
  else {
    const cure = `Install Caddy ${SAFE_VERSION} or newer on its machine, then: \`signalbox caddy restart\``;
    expect(body.upgrade).toContain(cure);
    expect(body.problems.find(({ code }) => code === 'ADVISORY')?.message).toContain(cure);
  }
});

test('/status does not guess about a Caddy that does not print its version', async () => {
  const folder = temporaryFolder();
  const bin = join(folder, 'caddy-devel');
  const script = '[ "$1" = version ] && echo "(devel)" && exit\nexec caddy "$@"';
  writeFileSync(bin, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const stack = await startStack({ PROXY_BIN: bin }, folder);
  try {
    const { headers } = await signUp(stack);
    const { body } = await ask<Status>(`${stack.hub}/status`, { headers });
    expect(body).toMatchObject({ proxy: { running: true, version: null } });
    expect(body).toMatchObject({ advisories: null, upgrade: null });
  } finally {
    await stack.stop();
  }
});

test.skipIf(caddyIs('>=2.11.6'))(
  '/status names what a newer Caddy refuses, only where it is, and only while it is published',
  async () => {
    const read = async () =>
      (await owner.call<Status>('GET', '/status')).body.beforeUpgrade.map(
        ({ vhost, line, detail }) => [vhost?.id ?? 'preamble', line, detail],
      );
    const id = (domain: string, config: string, more: object = {}) =>
      owner.call('POST', '/vhosts', { domain, config, ...more }).then(({ body }) => body.id);
    const log = 'log {\n\toutput discard\n\toutput discard\n}';
    await id('http://sound.example', 'respond "log {\n\toutput\n\toutput\n}"');
    expect(await read()).toEqual([]);

    const first = await id('http://one.example', log);
    const block = `http://two.example {\n\trespond x\n\t${log}\n}`;
    const second = await id('http://two.example', block);
    await id('http://off.example', log, { enabled: false });
    const twice = '`output` is in the same `log` block twice.';
    expect(await read()).toEqual([
      [first, 3, twice],
      [second, 5, twice],
    ]);

    const { body } = await owner.call('GET', '/preamble');
    const config = `${body.config}\n(s) {\n\t${log}\n}`;
    expect((await owner.call('PUT', '/preamble', { config })).status).toBe(200);
    const line = config.split('\n').length - 2;
    expect(await read()).toEqual([
      ['preamble', line, twice],
      [first, 3, twice],
      [second, 5, twice],
    ]);

    await owner.call('PUT', '/preamble', { config: body.config });
    await owner.call('PUT', `/vhosts/${first}`, { config: 'log {\n\toutput discard\n}' });
    await owner.call('DELETE', `/vhosts/${second}`);
    expect(await read()).toEqual([]);
  },
);

test('what stands in the way of an upgrade is read once, and named for whose preamble it is', async () => {
  let read = 0;
  const config = 'forward_auth :1 {\n\turi /a\n\turi /b\n}';
  const vhost = (id: number, enabled = true): Vhost => ({
    ...storedVhost({ id, domain: `${id}.example`, enabled }),
    get config() {
      read++;
      return config;
    },
  });
  const agent = (id: number, preamble: string | null) => ({ id, name: `a${id}`, preamble });
  const twice = '&(r) {\n}\n&(r) {\n}';
  const many = Array.from({ length: 300 }, (_, at) => vhost(at, at % 2 === 0));
  const set = {
    ...EMPTY_SET,
    preamble: twice,
    vhosts: many,
    agents: [agent(1, null), agent(2, twice), agent(3, twice)],
  } as unknown as SiteSet;
  expect(await obstaclesOf(set, null)).toEqual([]);
  expect(await obstaclesOf(set, '2.11.6')).toEqual([]);
  const found = await obstaclesOf(set, '2.11.4');
  expect(found).toHaveLength(100);
  expect(found.slice(0, 3)).toMatchObject([
    { line: 3 },
    { line: 3, agents: ['a2', 'a3'] },
    { line: 3, vhost: { id: 0, domain: '0.example' } },
  ]);
  expect(found[0]).not.toHaveProperty('vhost');
  read = 0;
  expect(await obstaclesOf(set, '2.11.4')).toBe(found);
  // A changed set has the same vhosts.
  expect(await obstaclesOf({ ...set, nextId: 9 }, '2.11.4')).toEqual([...found]);
  expect(read).toBeLessThanOrEqual(100);
});

/** Longer than the hub waits before it asks for the states again. */
const CURED_MS = 30_000;

test(
  '/status names an upstream that is down, since it is, and no longer once it is back',
  async () => {
    const { stack, headers } = owner;
    const read = async () => {
      const { problems } = (await ask<Status>(`${stack.hub}/status`, { headers })).body;
      return problems.find(({ code }) => code === 'UPSTREAM_DOWN');
    };
    const port = freePort();
    const json = { domain: 'http://down.example', config: `reverse_proxy 127.0.0.1:${port}` };
    const { id } = (await ask<{ id: number }>(`${stack.hub}/vhosts`, { headers, json })).body;
    expect((await stack.served('down.example')).status).toBe(502);
    const found = await until(read, 'the problem', CURED_MS);
    expect(found).toMatchObject({ level: 'bad', vhost: { id, domain: 'http://down.example' } });
    expect(found.message).toMatch(/^127\.0\.0\.1:\d+ does not answer: .*connection refused/);
    expect((await read())?.since).toBe(found.since);

    // After a start, nothing is green before everything was looked at.
    await stack.restart();
    const checked = await until(async () => {
      const { body } = await ask<Status>(`${stack.hub}/status`, { headers });
      return body.checking === 0 && body;
    }, 'a look at everything');
    expect(checked.problems).toContainEqual(expect.objectContaining({ code: 'UPSTREAM_DOWN' }));
    const states = await ask<{ checking?: true }[]>(`${stack.hub}/vhosts/state`, { headers });
    expect(states.body.filter(({ checking }) => checking)).toEqual([]);

    const server = Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response('back') });
    await until(async () => (await stack.served('down.example')).status === 200);
    await until(async () => !(await read()), 'the end of the problem', CURED_MS);
    await server.stop(true);
  },
  limit(90_000),
);
