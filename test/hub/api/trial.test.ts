/** `POST /preview?try=true`: how sites would answer, before anybody else sees them. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Tried } from '../../../src/hub/publish/preview.ts';
import { allOf, startUpstream } from '../../harness/checked.ts';
import { startFleet } from '../../harness/fleet.ts';
import { forFile } from '../../harness/for-file.ts';
import { forAllTests } from '../../harness/for-tests.ts';
import { startOwner } from '../../harness/owner.ts';
import { limit } from '../../harness/speed.ts';

type Verdict = { code?: string; valid: boolean; detail: string | null; tried?: Tried[] };

/** Seconds, for a check that is not answered. */
const within = limit(200) / 1_000;

const owner = await forFile(startOwner());
const upstream = await forFile(startUpstream());
const preview = (change: object, query = '?try=true') =>
  owner.call<Verdict>('POST', `/preview${query}`, change);
const proxied = (more: object = {}) => ({
  op: 'create',
  domain: 'new.example',
  config: 'reverse_proxy {upstream}',
  upstream: `127.0.0.1:${upstream.port}`,
  ...more,
});
const all = () => allOf(owner, ['live.example', 'new.example']);

beforeAll(() => owner.create('live'));

describe('nothing is tried', () => {
  test('unless it is asked for', async () => {
    expect((await preview(proxied(), '?try=yes')).body.code).toBe('INVALID_REQUEST');
    for (const query of ['', '?try=false']) {
      const { body } = await preview(proxied(), query);
      expect(body.valid).toBe(true);
      expect(body).not.toHaveProperty('tried');
    }
    expect(upstream.askedBy).toEqual([]);
  });

  test.each<[string, (id: number) => object, boolean]>([
    ['that is refused', () => proxied({ config: 'reverse_prox x' }), false],
    ['whose domain is taken', () => proxied({ domain: 'http://live.example' }), false],
    ['that disables a site', (id) => ({ op: 'toggle', id }), true],
    ['that deletes a site', (id) => ({ op: 'delete', id }), true],
    ['of a disabled site', () => proxied({ enabled: false }), true],
  ])('of a change %s', async (_, change, valid) => {
    const list = (await owner.call<{ id: number }[]>('GET', '/vhosts')).body;
    const { body } = await preview(change(list[0]?.id ?? 0));
    expect(body).toMatchObject({ valid, tried: [] });
    expect(upstream.askedBy).toEqual([]);
  });
});

describe('a site that is tried', () => {
  test('says what it would answer, and changes nothing', async () => {
    const before = await all();
    upstream.answer = 503;
    const check = { path: '/health', within };
    const tried = async (change: object) => {
      const { status, body } = await preview(change);
      expect([status, body.valid]).toEqual([200, true]);
      return body.tried;
    };
    const vhost = { id: null, domain: 'new.example' };
    expect(await tried(proxied({ check }))).toEqual([
      {
        vhost,
        passed: false,
        status: 503,
        detail: 'GET /health answered 503 instead of a status from 200 to 299',
      },
    ]);
    // Without a check, only an answer in place of the service is wrong.
    expect(await tried(proxied())).toEqual([
      { vhost, passed: false, status: 503, detail: 'GET / answered 503' },
    ]);
    upstream.answer = 'ready';
    const ready = { ...check, contains: 'ready' };
    expect(await tried(proxied({ check: ready }))).toMatchObject([{ passed: true, status: 200 }]);
    expect([...new Set(upstream.askedBy)]).toEqual([
      expect.stringMatching(/^signalbox-check\/[0-9a-f]{16}$/),
    ]);
    expect(await all()).toEqual(before);
    expect(existsSync(join(owner.stack.dataDir, 'caddy', 'trial'))).toBe(false);
  });

  test('may be as it is already', async () => {
    const [live] = (await owner.call<{ id: number; config: string }[]>('GET', '/vhosts')).body;
    const { body } = await preview({ op: 'update', id: live?.id, config: live?.config });
    expect(body.tried).toEqual([
      {
        vhost: { id: live?.id ?? 0, domain: 'http://live.example' },
        passed: null,
        status: 200,
        detail: 'GET / answered 200',
      },
    ]);
  });

  test('is one of those that a policy concerns', async () => {
    const policy = await owner.call('POST', '/policies', {
      name: 'open',
      recipe: 'allow',
      values: { networks: ['127.0.0.1'] },
    });
    for (const name of ['one', 'two']) {
      await owner.call('POST', '/vhosts', {
        domain: `http://${name}.example`,
        config: 'respond x',
        policies: ['open'],
        check: { path: '/', within },
      });
    }
    const { id } = policy.body;
    const { body } = await preview({ op: 'policy', id, values: { networks: ['203.0.113.1'] } });
    const found = body.tried?.map(({ vhost, passed, status }) => [vhost.domain, passed, status]);
    expect(found).toEqual([
      ['http://one.example', false, 403],
      ['http://two.example', false, 403],
    ]);
  });

  test('waits for others, and is not tried if too many wait', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => preview(proxied())));
    const refused = all.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      refused.map(() => [429, 'RATE_LIMITED']),
    );
    expect(refused).toHaveLength(3);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
  });
});

describe('with several agents', () => {
  const fleet = forAllTests(() => startFleet(['nas']));
  const tried = async (agents: string[]) => {
    const change = proxied({ domain: 'http://new.example', agents });
    const { body } = await fleet.call<Verdict>('POST', '/preview?try=true', change);
    return body.tried?.map(({ agent, status }) => [agent, status]);
  };

  test('it is tried beside each that would serve it and can be reached', async () => {
    expect(await tried(['nas'])).toEqual([['nas', 200]]);
    expect((await tried([]))?.toSorted()).toEqual([
      ['local', 200],
      ['nas', 200],
    ]);
    await fleet.other('nas').stop();
    await fleet.untilState('nas', 'unreachable');
    expect(await tried([])).toEqual([['local', 200]]);
  });
});
