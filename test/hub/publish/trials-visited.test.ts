/** Changes that are tried beside the proxy: what a check refuses is never served, and keeps others waiting once. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allOf, startUpstream } from '../../harness/checked.ts';
import { forFile } from '../../harness/for-file.ts';
import { startBesideForeignCaddy } from '../../harness/foreign-caddy.ts';
import { some } from '../../harness/full.ts';
import { type Body, startOwner } from '../../harness/owner.ts';
import { limit } from '../../harness/speed.ts';
import { ask, freePort, until } from '../../harness/stack.ts';

type Answer = Body & { warnings?: { code: string; message: string }[]; results?: Answer[] };

const owner = await forFile(startOwner());
const upstream = await forFile(startUpstream());
/** Of other sites. */
const steady = await forFile(startUpstream());
const closed = freePort();
const check = { path: '/', within: limit(200) / 1_000 };

await owner.create('base');
beforeEach(() => {
  Object.assign(upstream, { answer: 'ready', hangs: false });
});

const call = (method: string, path: string, json?: unknown) =>
  owner.call<Answer>(method, path, json);
const site = (name: string, port = steady.port, more: object = {}) => ({
  domain: `http://${name}.example`,
  config: 'reverse_proxy {upstream}',
  upstream: `127.0.0.1:${port}`,
  check,
  ...more,
});
const create = (...of: Parameters<typeof site>) => call('POST', '/vhosts', site(...of));
const remove = (ids: readonly number[]) =>
  call('POST', '/vhosts/bulk', { operations: ids.map((id) => ({ op: 'delete', id })) });
const trialsLeft = () =>
  readdirSync(join(owner.stack.dataDir, 'caddy')).filter((name) => name.startsWith('trial'));

test(
  'a visitor never sees what is refused',
  async () => {
    const values = { networks: ['0.0.0.0/0', '::/0'] };
    const policy = await call('POST', '/policies', { name: 'open', recipe: 'allow', values });
    const { config } = (await owner.call<{ config: string }>('GET', '/preamble')).body;
    const good = `${config}\n(shared) {\n\theader X-Shared yes\n}`;
    await call('PUT', '/preamble', { config: good });
    const { id } = (
      await create('seen', steady.port, {
        config: 'import shared\nreverse_proxy {upstream}',
        policies: ['open'],
      })
    ).body;
    await create('other', steady.port);
    const wrong = { upstream: `127.0.0.1:${closed}` };
    const changes: [string, string, object][] = [
      ['PUT', `/vhosts/${id}`, wrong],
      ['POST', '/vhosts', site('wrong', closed)],
      ['POST', '/vhosts/bulk', { operations: [{ op: 'update', id, ...wrong }] }],
      ['PUT', `/policies/${policy.body.id}`, { values: { networks: ['203.0.113.1'] } }],
      ['PUT', '/preamble', { config: good.replace('header X-Shared yes', 'respond 503') }],
    ];
    const hosts = ['seen.example', 'wrong.example'];
    const before = await allOf(owner, hosts);

    let isOver = false;
    const seen = new Map<string, number>();
    const visits = (async () => {
      while (!isOver) {
        for (const host of hosts) {
          const { status, text } = await owner.stack.served(host);
          const answer = `${host} ${status} ${text}`;
          seen.set(answer, (seen.get(answer) ?? 0) + 1);
        }
        await Bun.sleep(5);
      }
    })();
    for (let made = 0; made < some(6, 50); made++) {
      const [method, path, json] = changes[made % changes.length] as (typeof changes)[number];
      const { status, body } = await call(method, path, json);
      expect([path, status, body.code]).toEqual([path, 502, 'CHECK_FAILED']);
    }
    isOver = true;
    await visits;
    expect([...seen.keys()].toSorted()).toEqual(['seen.example 200 ready', 'wrong.example 200 ']);
    expect(await allOf(owner, hosts)).toEqual(before);
    expect(trialsLeft()).toEqual([]);
  },
  limit(120_000),
);

describe('a visitor never sees what only two changes together bring, of which each passes', () => {
  const bad = (value: string) => `@bad vars a ${value}\nrespond @bad 503\nrespond ready`;
  const snippet = (config: string, value: number) => `${config}\n(part) {\n\tvars a ${value}\n}`;

  // In milliseconds: those of one site, and of a site and the preamble.
  test.each<[string, number[]]>([
    ['that arrive at once', [0, 0]],
    ['one during the other’s trial', [5, 30]],
  ])('%s', async (_, apart) => {
    const { config } = (await call('GET', '/preamble')).body;
    const [plain = ''] = config.split('\n(part)');
    await call('PUT', '/preamble', { config: snippet(plain, 1) });
    const config1 = 'vars a {upstream}\nrespond ready';
    const { id } = (await create(`both-${apart[0]}`, 1, { config: config1 })).body;
    const { id: other } = (
      await create(`part-${apart[0]}`, 1, { config: 'import part\nrespond ready' })
    ).body;
    const pairs: [string, string, object][][] = [
      [
        ['PUT', `/vhosts/${id}`, { upstream: '127.0.0.1:2' }],
        ['PUT', `/vhosts/${id}`, { config: `vars a {upstream}\n${bad('127.0.0.1:2')}` }],
      ],
      [
        ['PUT', '/preamble', { config: snippet(plain, 2) }],
        ['PUT', `/vhosts/${other}`, { config: `import part\n${bad('2')}` }],
      ],
    ];
    const seen = new Set<number>();
    let isOver = false;
    const visits = (async () => {
      while (!isOver) {
        for (const host of ['both', 'part']) {
          seen.add((await owner.stack.served(`${host}-${apart[0]}.example`)).status);
        }
        await Bun.sleep(2);
      }
    })();
    try {
      for (const [at, pair] of pairs.entries()) {
        const answers = await Promise.all(
          pair.map(async ([method, path, json], second) => {
            if (second > 0) await Bun.sleep(apart[at] ?? 0);
            return call(method, path, json);
          }),
        );
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 502]);
        for (const { status, body } of answers) {
          expect(body.code).toBe(status === 200 ? undefined : 'CHECK_FAILED');
          expect(body.warnings ?? []).toEqual([]);
        }
      }
    } finally {
      isOver = true;
      await visits;
    }
    expect([...seen]).toEqual([200]);
    await remove([id, other]);
    await call('PUT', '/preamble', { config: plain });
  });
});

describe('is refused for another reason than its check', () => {
  test.each<[string, object, string, number]>([
    [
      'a config that leaves its block',
      { config: 'respond 503\n}\nhttp://x.example {' },
      ...(['PROXY_REJECTED', 502] as const),
    ],
    ['a config that Caddy refuses', { config: 'reverse_prox x' }, 'PROXY_REJECTED', 502],
    ['a domain that is taken', { domain: 'http://base.example' }, 'DOMAIN_TAKEN', 409],
  ])('%s', async (_, more, code, status) => {
    const before = steady.askedBy.length;
    const refused = await create('else', closed, more);
    expect([refused.status, refused.body.code]).toEqual([status, code]);
    expect(steady.askedBy.length).toBe(before);
  });

  test('and does not take others with it, which arrive at once', async () => {
    const names = ['first', 'second', 'third'];
    const bad = { config: 'reverse_prox x' };
    const [refused, failed, ...made] = await Promise.all([
      create('bad', steady.port, bad),
      create('fails', closed),
      ...names.map((name) => create(name)),
    ]);
    expect([refused?.body.code, failed?.body.code]).toEqual(['PROXY_REJECTED', 'CHECK_FAILED']);
    expect(made.map(({ status, body }) => [status, body.warnings])).toEqual(
      names.map(() => [201, []]),
    );
    await remove(made.map(({ body }) => body.id));
  });
});

test('a change without a check waits for no more than one trial', async () => {
  const { id } = (await create('slow', steady.port, { check: null })).body;
  upstream.answer = 503;
  const order: string[] = [];
  const noted = async (name: string, answering: ReturnType<typeof call>) => {
    const { status } = await answering;
    order.push(`${name} ${status}`);
  };
  const slow = {
    upstream: `127.0.0.1:${upstream.port}`,
    check: { path: '/', within: limit(4_000) / 1_000 },
  };
  // Of two changes of one site, the second is tried apart.
  const changes = ['first', 'second'].map((tag) =>
    noted('slow', call('PUT', `/vhosts/${id}`, { ...slow, tags: [tag] })),
  );
  const before = upstream.askedBy.length;
  await until(() => upstream.askedBy.length > before, 'the first trial');
  const more = [
    noted('other', create('slow-other', upstream.port, slow)),
    ...['quick-1', 'quick-2'].map((name) =>
      noted('quick', create(name, steady.port, { check: null })),
    ),
  ];
  await Promise.all([...changes, ...more]);
  expect(order.slice(0, 3)).toEqual(['slow 502', 'quick 201', 'quick 201']);
  expect(order.slice(3).toSorted()).toEqual(['other 502', 'slow 502']);
});

test('what a trial asks of other sites is known as a check in their log', async () => {
  const { httpPort, accessLog } = owner.stack;
  const to = `reverse_proxy 127.0.0.1:${httpPort} {\n\theader_up Host base.example\n}`;
  const of = () =>
    readFileSync(accessLog, 'utf8')
      .split('\n')
      .filter((line) => line.includes('signalbox-check') && line.includes('base.example'));
  const { status, body } = await create('ahead', closed, { config: to });
  expect([status, body.code]).toEqual([201, undefined]);
  await until(() => of().length >= 2, 'the entries of the trial and of the check');
  expect(of().filter((line) => !/signalbox-check\/[0-9a-f]{16}"/.test(line))).toEqual([]);
  await remove([body.id]);
});

describe('what a trial cannot tell', () => {
  const port = freePort();
  /** Creates a site, and another one in front of it. */
  const inFront = (config: string) => [
    { op: 'create', domain: `http://back.example:${port}`, config, check },
    {
      op: 'create',
      domain: 'http://front.example',
      check,
      config: `reverse_proxy 127.0.0.1:${port} {\n\theader_up Host back.example:${port}\n}`,
    },
  ];

  test('is asked once it is live, and the answer says so', async () => {
    const operations = inFront('respond back');
    const { status, body } = await call('POST', '/vhosts/bulk', { operations });
    expect(status).toBe(200);
    const why = `127.0.0.1:${port} is a listener of another site, which a trial does not open.`;
    expect(body.results?.map(({ warnings }) => warnings)).toEqual([
      [],
      [
        {
          code: 'NOT_TRIED',
          message: `The check of http://front.example ran only once the change was live: ${why}`,
        },
      ],
    ]);
    await remove(body.results?.map(({ id }) => id) ?? []);
  });

  test('is refused there, with everything as it was', async () => {
    const before = await allOf(owner, ['front.example']);
    const [back, front] = inFront('respond 503');
    const operations = [{ ...back, check: null }, front];
    const { status, body } = await call('POST', '/vhosts/bulk', { operations });
    expect([status, body.code]).toEqual([502, 'CHECK_FAILED']);
    expect(await allOf(owner, ['front.example'])).toEqual(before);
  });

  test('is all there is beside a Caddy that another program runs', async () => {
    const foreign = await startBesideForeignCaddy();
    const create = (name: string, config: string, more: object = {}, query = '') =>
      ask<Answer>(`${foreign.hub}/vhosts${query}`, {
        json: { domain: `http://${name}.example:${foreign.httpPort}`, config, ...more },
        headers: foreign.owner.headers,
      });
    // What would be replaced comes first.
    const early = await create('early', 'respond 503', { check });
    expect([early.status, early.body.code]).toEqual([409, 'IMPORT_FIRST']);
    expect((await create('first', 'respond first', {}, '?replace=true')).status).toBe(201);
    const failed = await create('failed', 'respond 503', { check });
    expect([failed.status, failed.body.code]).toEqual([502, 'CHECK_FAILED']);
    const { status, body } = await create('mine', 'respond mine', { check });
    expect([status, body.warnings]).toMatchObject([201, [{ code: 'NOT_TRIED' }]]);
    expect(body.warnings?.[0]?.message).toContain('Another program runs Caddy');
    expect(existsSync(join(foreign.folder, 'data', 'caddy', 'trial-1'))).toBe(false);
    await foreign.stop();
  });
});
