/** The API's `trustedProxies`: what it refuses, and what becomes of the Caddy options, the log and the history. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Replayed } from '../../../../src/features/replay/replays.ts';
import { REPLAY_MS } from '../../../../src/features/replay/wire.ts';
import { CLOUDFLARE } from '../../../../src/hub/caddyfile/cloudflare.ts';
import { withTrusted } from '../../../../src/hub/caddyfile/trusted-proxies.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { inDatabase } from '../../../harness/database.ts';
import { forFile } from '../../../harness/for-file.ts';
import { type Body, startOwner } from '../../../harness/owner.ts';
import { limit } from '../../../harness/speed.ts';
import { ask, hasFeature, until } from '../../../harness/stack.ts';

// On a busy machine, a replay may take all the time that it has.
setDefaultTimeout(limit(2 * REPLAY_MS));

type Preamble = Body & { trustedProxies: string[] | null };

const owner = await forFile(startOwner());
const put = (json: object, query = '') => owner.call<Preamble>('PUT', `/preamble${query}`, json);
const get = async (query = '') => (await owner.call<Preamble>('GET', `/preamble${query}`)).body;
// Something is published, which refused changes leave as it is.
const seen = await owner.create('seen');
const first = await get();

describe('a change is refused, and changes nothing', () => {
  const conflict = first.config.replace('{', '{\n\tservers :443 {\n\t\tprotocols h1\n\t}\n');
  test.each<[string, object, string]>([
    ['with nothing in it', {}, 'config'],
    ['of nothing', { config: null }, 'config'],
    ['that trusts nobody by an empty list', { trustedProxies: [] }, 'trustedProxies'],
    ['that trusts 101', { trustedProxies: Array(101).fill('10.0.0.1') }, 'trustedProxies'],
    ['that trusts a word', { trustedProxies: ['private_ranges', 'everybody'] }, 'trustedProxies.1'],
    ['that trusts all', { trustedProxies: ['0.0.0.0/0'] }, 'trustedProxies.0'],
    ['that trusts two in one', { trustedProxies: ['10.0.0.1 10.0.0.2'] }, 'trustedProxies.0'],
    [
      'of blocks for addresses',
      { config: conflict, trustedProxies: ['10.0.0.1'] },
      'trustedProxies',
    ],
  ])('%s', async (_, json, field) => {
    const before = await owner.everything();
    const { status, body } = await put(json);
    expect([status, body.code, body.field]).toEqual([400, 'INVALID_REQUEST', field]);
    expect(await owner.everything()).toEqual(before);
  });

  test('of an agent back to the common options, with proxies beside it', async () => {
    const { status, body } = await put({ config: null, trustedProxies: null }, '?agent=local');
    expect([status, body.field]).toEqual([400, 'config']);
  });

  test.if(caddyIs('<2.8.0'))(
    'by a Caddy that reads the address that a visitor invents',
    async () => {
      const before = await owner.everything();
      const { status, body } = await put({ trustedProxies: ['cloudflare'] });
      expect([status, body.code]).toEqual([502, 'PROXY_REJECTED']);
      expect(body.hint).toContain('`trusted_proxies_strict` needs Caddy 2.8');
      expect(await owner.everything()).toEqual(before);
      const operation = { op: 'preamble', trustedProxies: ['cloudflare'] };
      const preview = await owner.call('POST', '/preview', operation);
      expect(preview.body).toMatchObject({ valid: false, hint: body.hint });
    },
  );
});

test.if(caddyIs('<2.8.0'))(
  'what an exchange for an older Caddy has it refuse can be taken back, as the problem says',
  async () => {
    const stored = withTrusted(first.config, ['private_ranges']);
    await owner.stack.restart(() =>
      inDatabase(owner.stack.dataDir, (sqlite) =>
        sqlite.run('UPDATE preamble SET config = ?', [stored]),
      ),
    );
    type Status = { problems: { code: string; message: string }[] };
    const refused = () =>
      owner
        .call<Status>('GET', '/status')
        .then(({ body }) => body.problems.find(({ code }) => code === 'NOT_IN_STEP'));
    const problem = await until(async () => {
      const found = await refused();
      return found?.message.includes('trusted_proxies_strict') && found;
    }, 'the problem');
    expect(problem.message).toContain('Install a newer Caddy');
    expect(problem.message).toContain('remove all in “Proxies before Caddy” of the Caddy options');
    expect((await put({ trustedProxies: null })).status).toBe(200);
    await until(async () => (await refused()) === undefined, 'the end of the problem');
    expect((await get()).config).toBe(first.config);
  },
);

test('nothing is trusted at first, and to trust nothing changes nothing', async () => {
  expect(first.trustedProxies).toBeNull();
  const before = await owner.everything();
  expect((await put({ trustedProxies: null })).status).toBe(200);
  expect(await owner.everything()).toEqual(before);
});

describe.if(caddyIs('>=2.8.0'))('trusted proxies', () => {
  const LIST = ['cloudflare', '127.0.0.1'];

  test('are previewed, written, live, exported and undone', async () => {
    const preview = await owner.call('POST', '/preview', { op: 'preamble', trustedProxies: LIST });
    expect(preview.body.valid).toBe(true);
    expect(preview.body.diff).toContain('+\t\ttrusted_proxies_strict');

    const { status, body } = await put({ trustedProxies: LIST });
    expect([status, body.trustedProxies]).toEqual([200, LIST]);
    expect(await get()).toMatchObject({ config: body.config, trustedProxies: LIST });
    expect(body.config).toContain('trusted_proxies static cloudflare 127.0.0.1\n');
    expect(owner.stack.readProxyfile()).toContain(`static ${CLOUDFLARE.join(' ')} 127.0.0.1\n`);

    const snapshot = (await owner.call<{ preamble: string }>('GET', '/export')).body;
    expect(snapshot.preamble).toBe(body.config);
    const [entry] = await owner.changelog();
    expect(entry?.domain).toBe('(preamble)');
    await owner.call('POST', `/changelog/${entry?.id}/revert`);
    expect(await get()).toMatchObject({ config: first.config, trustedProxies: null });
    expect((await owner.call('POST', '/restore?replace=true', snapshot)).status).toBe(200);
    expect((await get()).trustedProxies).toEqual(LIST);
    await put({ trustedProxies: null });
    expect((await get()).config).toBe(first.config);
  });

  test('of an agent are those of its own options', async () => {
    const { body } = await put({ trustedProxies: ['10.0.0.1'] }, '?agent=local');
    expect(body).toMatchObject({ own: true, trustedProxies: ['10.0.0.1'] });
    expect((await get()).trustedProxies).toBeNull();
    await put({ config: null }, '?agent=local');
    expect(await get('?agent=local')).toMatchObject({ own: false, trustedProxies: null });
  });

  test('let the log and its figures go by the address of the visitor', async () => {
    await put({ trustedProxies: LIST });
    const url = `http://127.0.0.1:${owner.stack.httpPort}`;
    const forwarded = '203.0.113.7, 198.51.100.1, 173.245.48.1';
    const headers = { Host: 'seen.example', 'X-Forwarded-For': forwarded };
    expect((await ask(url, { headers })).text).toBe('seen');
    const page = await until(async () => {
      const { body } = await owner.call<{ total: number }>('GET', '/logs?ip=198.51.100.1');
      return body.total === 1 && body;
    }, 'the request in the log');
    expect(page).toMatchObject({ logs: [{ domain: 'seen.example', ip: '198.51.100.1' }] });
    const { body } = await owner.call<object>('GET', '/logs/stats?domain=seen.example');
    expect(body).toMatchObject({ latest: { ips: [{ ip: '198.51.100.1', requests: 1 }] } });
    expect((await owner.call('GET', '/logs?ip=203.0.113.7')).body).toMatchObject({ total: 0 });
  });

  test.if(hasFeature('replay'))(
    'let a replay go by it, and by nothing that a visitor claims',
    async () => {
      const url = `http://127.0.0.1:${owner.stack.httpPort}`;
      const forged = { Host: 'seen.example', 'X-Forwarded-For': '198.51.100.1, 203.0.113.9' };
      expect((await ask(url, { headers: forged })).text).toBe('seen');
      await until(async () => {
        const { body } = await owner.call<{ total: number }>('GET', '/logs?domain=seen.example');
        return body.total === 2;
      }, 'both requests in the log');
      const values = { networks: ['198.51.100.1'] };
      await owner.call('POST', '/policies', { name: 'friends', recipe: 'allow', values });
      const change = { op: 'update', id: seen.id, policies: ['friends'] };
      const { body } = await owner.call<{ id: string }>('POST', '/replays', {
        operations: [change],
      });
      const replay = await until(
        async () => {
          const state = (await owner.call<Replayed>('GET', `/replays/${body.id}`)).body;
          return state.state !== 'running' && state;
        },
        'the end of the replay',
        REPLAY_MS,
      );
      const groups = replay.groups.map(({ count, before, after }) => [
        count,
        before.status,
        after.status,
      ]);
      expect(groups).toEqual([[1, 200, 403]]);
    },
  );
});
