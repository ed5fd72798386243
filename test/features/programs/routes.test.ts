/** The exchange of Caddy's program by the hub: what it refuses, records and says. The agent's part is a stand-in. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { ProgramsView } from '../../../src/features/programs/routes.ts';
import { MOST_PROGRAM_BYTES } from '../../../src/features/programs/wire.ts';
import {
  OLD,
  type ProgramAgent,
  programOf,
  refusal,
  startProgramAgent,
} from '../../harness/program-agent.ts';
import { until } from '../../harness/stack.ts';

let all: ProgramAgent;
type Entry = { domain: string; userName: string; action: string; diff: string | null };
const sumOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');
const entries = async () => (await all.call<Entry[]>('GET', '/changelog')).body;
const programs = async () => (await all.call<ProgramsView>('GET', '/proxy/programs')).body;
/** Whether an exchange was asked for. */
const asked = () => all.seen.filter(({ path }) => path === 'POST /proxy/program').length;
/** But for those of the machine that the test runs on, and of its Caddy. */
const problems = async () => {
  const { body } = await all.call<{ problems: { code: string; message: string }[] }>(
    'GET',
    '/status',
  );
  const others = ['WARNING', 'ADVISORY', 'PORT_HELD'];
  return body.problems.filter(({ code }) => !others.includes(code));
};
type Seen = { state: string; proxy: { version: string } };
const seen = async () => (await all.call<Seen>('GET', '/agents/local')).body;

beforeAll(async () => {
  all = await startProgramAgent();
  const site = { domain: 'http://a.example', config: 'respond a' };
  expect((await all.call('POST', '/vhosts', site)).status).toBe(201);
});
afterAll(() => all.stop());
beforeEach(() => {
  all.seen.length = 0;
  all.answers('works');
  Object.assign(all.state, {
    current: OLD,
    previous: [],
    probation: null,
    managed: true,
    unit: null,
  });
});

describe('a refusal changes nothing, records nothing, and asks for no exchange', () => {
  async function refusedWith(code: string, answer: Promise<{ body: { code?: string } }>) {
    const before = await entries();
    expect((await answer).body.code).toBe(code);
    expect(asked()).toBe(0);
    expect(await entries()).toEqual(before);
  }

  test('not exactly one source, a URL without its sum, other sums, or no program', async () => {
    const post = (json: object) => all.call('POST', '/proxy/program', json);
    await refusedWith('INVALID_REQUEST', post({}));
    await refusedWith('INVALID_REQUEST', post({ use: OLD.sha256, url: 'https://a.example/caddy' }));
    const noSum = await all.call<{ field: string }>('POST', '/proxy/program', {
      url: 'https://a.example/caddy',
    });
    expect(noSum.body).toMatchObject({ code: 'INVALID_REQUEST', field: 'sha256' });
    await refusedWith('INVALID_REQUEST', post({ url: 'file:///bin/sh', sha256: OLD.sha256 }));
    const other = await all.upload('2.11.7', { sha256: OLD.sha256 });
    expect(other.body).toMatchObject({ code: 'INVALID_REQUEST', field: 'sha256' });
    expect(other.body.detail).toContain(sumOf('2.11.7'));
    await refusedWith('INVALID_REQUEST', all.upload('#!/bin/sh'));
    await refusedWith('INVALID_REQUEST', all.upload('2.11.7', { sha256: 'short' }));
    await refusedWith('NOT_FOUND', post({ use: 'f'.repeat(64) }));
    await refusedWith(
      'NOT_FOUND',
      all.call('POST', '/proxy/program?agent=nobody', { use: OLD.sha256 }),
    );
  });

  test('a program of more than 200 MiB, by what it says of its length', async () => {
    const { port } = new URL(all.hub());
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      void Bun.connect({
        hostname: '127.0.0.1',
        port: Number(port),
        socket: {
          open(socket) {
            const head = [
              'POST /api/proxy/program HTTP/1.1',
              'Host: 127.0.0.1',
              `Authorization: ${all.owner.headers.Authorization}`,
              'Content-Type: multipart/form-data; boundary=x',
              `Content-Length: ${MOST_PROGRAM_BYTES + 1}`,
            ];
            socket.write(`${head.join('\r\n')}\r\n\r\n--x`);
          },
          data(socket, data) {
            text += data.toString();
            if (!text.includes('}')) return;
            socket.end();
            resolve(text);
          },
        },
      });
    });
    expect(answer).toContain('413');
    expect(answer).toContain('BODY_TOO_LARGE');
    expect(all.seen).toEqual([]);
  });

  test('a viewer, an editor, any token, and a session whose proof is old', async () => {
    const password = 'a long passphrase';
    for (const role of ['viewer', 'editor']) {
      const email = `${role}@example.org`;
      await all.call('POST', '/users', { name: role, email, password, role });
      const { body } = await all.call<{ token: string }>(
        'POST',
        '/auth/sign-in/email',
        {
          email,
          password,
        },
        {},
      );
      const headers = { Authorization: `Bearer ${body.token}` };
      await refusedWith('FORBIDDEN_ROLE', all.upload('2.11.7', {}, headers));
      expect((await all.call('GET', '/proxy/programs', undefined, headers)).status).toBe(200);
    }
    const made = await all.call<{ token: string }>('POST', '/tokens', {
      name: 't',
      scope: 'write',
    });
    const token = { Authorization: `Bearer ${made.body.token}` };
    await refusedWith('FORBIDDEN', all.upload('2.11.7', {}, token));
    const db = new Database(join(all.env.DATA_DIR, 'signalbox.db'));
    const proved = db.query<{ at: number }, []>('SELECT max(proved_at) AS at FROM sessions').get();
    db.run('UPDATE sessions SET proved_at = 0');
    await refusedWith('SESSION_NOT_FRESH', all.upload('2.11.7'));
    db.run('UPDATE sessions SET proved_at = ?', [proved?.at ?? 0]);
    db.close();
  });

  test('an agent on probation, and a Caddy of another program', async () => {
    all.state.probation = { until: new Date(Date.now() + 30_000).toISOString() };
    await refusedWith('ON_PROBATION', all.upload('2.11.7'));
    Object.assign(all.state, { probation: null, managed: false, unit: 'caddy.service' });
    await refusedWith('INVALID_REQUEST', all.upload('2.11.7'));
    expect((await programs()).command).toBe(
      'sudo apt-get update && sudo apt-get install --only-upgrade caddy && sudo systemctl restart caddy.service',
    );
    all.state.unit = 'x; reboot';
    expect((await programs()).command).toBe('docker compose pull && docker compose up -d');
  });
});

test('the agent’s refusals are passed on with the differences, and nothing is recorded', async () => {
  const before = await entries();
  const differences = [{ domain: 'a.example', reason: 'GET / answered 502 instead of 200' }];
  for (const [status, code] of [
    [502, 'PROGRAM_REFUSED'],
    [502, 'PROXY_UNREACHABLE'],
    [409, 'ON_PROBATION'],
    [409, 'STALE'],
    [409, 'OTHER_HUB'],
    [400, 'INVALID_REQUEST'],
  ] as const) {
    all.answers(() => refusal(status, code, 'words of the agent', { differences }));
    const answer = await all.upload('2.11.7');
    expect(answer.body).toMatchObject({ code, differences });
  }
  all.answers('dies');
  expect((await all.upload('2.11.7')).body.code).toBe('AGENT_UNREACHABLE');
  expect(await entries()).toEqual(before);
  expect((await programs()).current?.version).toBe('2.6.2');
  await until(async () => (await problems()).length === 0, 'no problems');
  await until(async () => (await seen()).state === 'in-step', 'in step');
});

describe('an exchange', () => {
  test('gets the live set, is recorded with its author, and leaves everything in step', async () => {
    const answer = await all.upload('2.11.7', { sha256: sumOf('2.11.7') });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        current: { version: '2.11.7', sha256: sumOf('2.11.7'), plugins: [] },
        previous: [{ version: '2.6.2' }],
        managed: true,
        command: null,
        advisories: [],
        uses: [],
        differences: [{ domain: 'a.example' }],
        leftOut: [{ reason: 'websockets', count: 2 }],
      },
    });
    const sent = JSON.parse(
      all.seen.find(({ path }) => path === 'POST /proxy/program')?.body ?? '',
    );
    expect(sent).toMatchObject({ sha256: sumOf('2.11.7'), checks: [] });
    expect(sent.expects).toMatch(/^[0-9a-f]{64}$/);
    expect(sent.proxyfile).toContain('a.example');
    const [entry] = await entries();
    expect(entry).toMatchObject({
      domain: '(caddy 2.6.2 → 2.11.7)',
      userName: 'Ada',
      action: 'update',
      diff: null,
    });
    expect((await seen()).state).toBe('in-step');
    expect((await problems()).map(({ code }) => code)).not.toContain('NOT_IN_STEP');
    const security = await all.call<{ entries?: unknown[] }>('GET', '/security-log?kind=agent');
    expect(JSON.stringify(security.body)).toContain('Caddy 2.6.2 → 2.11.7');
  });

  test('has checks of the sites, and the words of its version', async () => {
    await until(async () => (await seen()).proxy.version === '2.6.2', 'the old version');
    await all.call('POST', '/policies', {
      name: 'lan',
      recipe: 'allow',
      values: { networks: ['127.0.0.1/32'] },
    });
    const check = { path: '/', status: 200 };
    const site = { domain: 'http://b.example', config: 'respond b', check, policies: ['lan'] };
    expect((await all.call('POST', '/vhosts', site)).body).toMatchObject({ domain: site.domain });
    all.answers(() => refusal(502, 'PROGRAM_REFUSED', 'worse'));
    await all.upload('2.11.7');
    const sent = JSON.parse(
      all.seen.find(({ path }) => path === 'POST /proxy/program')?.body ?? '',
    );
    expect(sent.checks).toMatchObject([{ name: 'b.example', check: { path: '/' } }]);
    expect(sent.proxyfile).toContain('client_ip');
    expect(all.agent.readProxyfile()).toContain('remote_ip');
    const { body } = await all.call<{ id: number }[]>('GET', '/vhosts');
    await all.call('DELETE', `/vhosts/${body.at(-1)?.id}`);
  });

  test('for the program that runs already changes and records nothing', async () => {
    const before = await entries();
    const answer = await all.call<ProgramsView>('POST', '/proxy/program', { use: OLD.sha256 });
    expect(answer.body.current?.version).toBe('2.6.2');
    expect([answer.status, asked()]).toEqual([200, 0]);
    expect(await entries()).toEqual(before);
  });

  test('for one that the agent keeps needs no second copy of it', async () => {
    await all.upload('2.11.7');
    await all.call('POST', '/proxy/program', { use: OLD.sha256 });
    all.seen.length = 0;
    const answer = await all.upload('2.11.7');
    expect(answer).toMatchObject({ status: 200, body: { current: { version: '2.11.7' } } });
    const url = 'http://127.0.0.1:9/caddy';
    await all.call('POST', '/proxy/program', { use: OLD.sha256 });
    await all.call('POST', '/proxy/program', { url, sha256: sumOf('2.11.7') });
    expect((await programs()).current?.version).toBe('2.11.7');
    const paths = all.seen.map(({ path }) => path).filter((path) => !path.startsWith('GET'));
    expect([...new Set(paths)]).toEqual(['POST /proxy/program']);
  });

  test('whose answer is lost is found to have happened, and recorded', async () => {
    all.answers('lost');
    expect((await all.upload('2.11.7')).status).toBe(200);
    expect((await entries())[0]?.domain).toBe('(caddy 2.6.2 → 2.11.7)');
    await until(async () => (await seen()).state === 'in-step', 'in step');
  });

  test('that a hub did not live to see leaves no drift behind', async () => {
    await all.upload('2.11.7');
    await all.restart();
    await until(async () => (await seen()).state === 'in-step', 'in step');
    expect(await problems()).toEqual([]);
  });

  test('cannot be undone by the changelog, which says how', async () => {
    const [entry] = await entries();
    const { id } = entry as Entry & { id: number };
    const answer = await all.call<{ message: string }>('POST', `/changelog/${id}/revert`);
    expect(answer.body).toMatchObject({
      code: 'REVERT_CONFLICT',
      message: expect.stringContaining('signalbox caddy back'),
    });
    const grouped = await all.call<{ summary: string }[]>('GET', '/changelog?grouped=true');
    expect(grouped.body[0]?.summary).toBe('Exchanged Caddy 2.6.2 → 2.11.7');
  });
});

test('says which sites use what stock Caddy lacks', async () => {
  all.state.current = programOf('2.6.2', 'a', ['http.handlers.rate_limit', 'http.handlers.push']);
  const { current, uses, advisories } = await programs();
  expect(current?.plugins).toEqual(['http.handlers.rate_limit']);
  expect(uses).toEqual([]);
  expect(advisories?.length).toBeGreaterThan(0);
});

test('a program that went back by itself is a problem of its own', async () => {
  all.warnings.push('Caddy 2.11.7 ended after 20 s with exit code 2, so Caddy 2.6.2 runs again');
  const found = await until(
    async () => (await problems()).find(({ code }) => code === 'PROGRAM_RETURNED'),
    'the problem',
  );
  expect(found.message).toContain('2.11.7 ended');
  all.warnings.length = 0;
});
