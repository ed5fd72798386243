/** `/apply`: a document of sites and policies is applied as a whole, or not at all. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Outcome } from '../../../src/features/apply/plan.ts';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';

type Applied = Omit<Outcome, 'before' | 'after'> & Body & { group?: number };
type Site = Body & { domain: string; config: string; enabled: boolean; source: string | null };

const owner = await forFile(startOwner());
const answers = (text: string, more: object = {}) => ({ config: `respond ${text}`, ...more });
const lan = { recipe: 'allow', values: { networks: ['private_ranges'] } };
const apply = (document: object, headers = {}) =>
  owner.call<Applied>('POST', '/apply', { source: 'home', ...document }, headers);
const plan = (document: object) => apply({ ...document, dryRun: true });
const sites = async () => (await owner.call<Site[]>('GET', '/vhosts')).body;
const site = async (domain: string) =>
  (await sites()).find((one) => one.domain === domain) as Site & { id: number };
const served = async (name: string) => (await owner.stack.served(`${name}.example`)).text;
const ops = (answer: { body: Applied }) =>
  answer.body.changes.map(({ op, name, fields }) => [op, name, ...fields].join(' '));

describe('refused, with nothing changed:', () => {
  beforeAll(async () => {
    const created = { domain: 'http://hand.example', config: 'respond hand' };
    expect((await owner.call('POST', '/vhosts', created)).status).toBe(201);
    expect((await owner.call('POST', '/policies', { name: 'hand', ...lan })).status).toBe(201);
  });

  const only = (site: object) => ({ sites: { 'a.example': site } });
  const policy = (name: string, recipe: string, values?: object) => ({
    policies: { [name]: { recipe, values } },
  });
  async function refused(document: object, status: number, code: string, field: string | null) {
    const before = await owner.everything();
    for (const answer of [await plan(document), await apply(document)]) {
      const { body } = answer;
      expect([answer.status, body.code, body.field ?? null]).toEqual([status, code, field]);
    }
    expect(await owner.everything()).toEqual(before);
  }

  test.each<[string, string, object]>([
    ['no source', 'source', { source: '' }],
    ['the source of an agent', 'source', { source: 'containers/local' }],
    ['a source with a line end', 'source', { source: 'a\nb' }],
    ['an unknown field', 'sites["a.example"].upsteam', only({ upsteam: '127.0.0.1:1' })],
    ['a wrong type', 'sites["a.example"].upstream', only({ upstream: 8080 })],
    ['a source of a site', 'sites["a.example"].source', only({ source: 'x' })],
    ['sites that are text', 'sites', { sites: 'a.example' }],
    ['sites that are null', 'sites', { sites: null, prune: true }],
    ['a site without domain', 'sites.0.domain', { sites: [{}] }],
    ['a domain twice', 'sites["a.example"]', { sites: Array(2).fill({ domain: 'a.example' }) }],
    [
      'a domain twice in other letters',
      'sites["A.example"]',
      { sites: { 'a.example': answers('a'), 'A.example': answers('b') } },
    ],
    ['no domain', 'sites["no domain"].domain', { sites: { 'no domain': answers('a') } }],
    [
      'an unknown policy',
      'sites["a.example"].policies',
      only(answers('a', { policies: ['none'] })),
    ],
    ['an unknown recipe', 'policies["lan"].recipe', policy('lan', 'none')],
    [
      'wrong values',
      'policies["lan"].values.networks.0',
      policy('lan', 'allow', { networks: ['x'] }),
    ],
    [
      'a user without password',
      'policies["ada"].values.users.0.password',
      policy('ada', 'basic-auth', { users: [{ name: 'ada' }] }),
    ],
    [
      'a misspelled upstream',
      'sites["a.example"].config',
      only({ config: 'reverse_proxy {upsteam}', upstream: '127.0.0.1:1' }),
    ],
    [
      'a sign-in service that asks itself',
      'sites["http://A.example"].policies',
      {
        ...policy('ask', 'authelia', { address: 'localhost:9091' }),
        sites: { 'http://A.example': { upstream: '127.0.0.1:9091', policies: ['ask'] } },
      },
    ],
  ])('%s', (_, field, document) => refused(document, 400, 'INVALID_REQUEST', field));

  const broken = { config: 'respnd b' };
  const hand = 'http://hand.example';
  test.each<[string, number, string, string | null, object]>([
    [
      'what the proxy refuses',
      ...([502, 'PROXY_REJECTED', 'sites["http://b.example"].config'] as const),
      { sites: { 'http://a.example': answers('a'), 'http://b.example': broken } },
    ],
    [
      'a single site that the proxy refuses',
      ...([502, 'PROXY_REJECTED', 'sites["http://B.example"].config'] as const),
      { sites: { 'http://B.example': broken } },
    ],
    [
      'a site of a person',
      409,
      'DOMAIN_TAKEN',
      `sites["${hand}"]`,
      { sites: { [hand]: answers('mine') } },
    ],
    [
      'an address of a site of a person',
      ...([409, 'DOMAIN_TAKEN', 'sites["http://a.example"].domain'] as const),
      { sites: { 'http://a.example': { config: `http://a.example, ${hand} {\n}` } } },
    ],
    ['a policy of a person', 409, 'POLICY_TAKEN', 'policies["hand"]', { policies: { hand: lan } }],
    ['a plan that is another', 412, 'STALE', null, { expects: 'ab'.repeat(32) }],
  ])('%s', (_, status, code, field, document) => refused(document, status, code, field));

  test('a replay that is no dry run', async () => {
    const before = await owner.everything();
    const document = { source: 'home', ...only(answers('a')) };
    const { status, body } = await owner.call('POST', '/apply?replay=true', document);
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(await owner.everything()).toEqual(before);
  });

  test('a field `source` of a request of a person', async () => {
    const { id } = await site('http://hand.example');
    const body = { source: 'home', kept: { source: 'home', applied: '' }, upstream: '127.0.0.1:1' };
    await owner.call('PUT', `/vhosts/${id}`, body);
    await owner.call('POST', '/vhosts/bulk', {
      operations: [{ op: 'update', id, ...body, upstream: '' }],
    });
    expect((await site('http://hand.example')).source).toBeNull();
  });
});

test('a plan says what will happen, and is applied to nothing else', async () => {
  const document = {
    policies: { lan },
    sites: {
      'http://one.example': answers('one', { tags: ['a'] }),
      'http://two.example': answers('two'),
    },
  };
  const planned = await plan(document);
  expect(planned.status).toBe(200);
  expect(ops(planned)).toEqual([
    'create lan',
    'create http://one.example',
    'create http://two.example',
  ]);
  expect(planned.body.published).toBeTrue();
  expect(planned.body.diff).toContain('+\trespond one');
  expect(planned.body.group).toBeUndefined();
  expect(await site('http://one.example')).toBeUndefined();

  expect((await owner.call('POST', '/policies', { name: 'between', ...lan })).status).toBe(201);
  const stale = await apply({ ...document, expects: planned.body.digest });
  expect([stale.status, stale.body.code]).toEqual([412, 'STALE']);

  const again = await plan(document);
  const done = await apply({ ...document, expects: again.body.digest });
  expect(done.status).toBe(200);
  expect(done.body).toEqual({ ...again.body, group: expect.any(Number) });
  expect([await served('one'), await served('two')]).toEqual(['one', 'two']);
  expect(await site('http://one.example')).toMatchObject({ source: 'home', tags: ['a'] });

  const entries = (await owner.changelog()).slice(0, 3);
  expect(entries.map(({ domain }) => domain)).toEqual([
    'http://two.example',
    'http://one.example',
    '(policy lan)',
  ]);
  for (const entry of entries) {
    expect(entry).toMatchObject({ via: 'apply home', group: done.body.group });
  }

  const before = await owner.everything();
  const second = await apply(document);
  expect(second.body).toMatchObject({ changes: [], diff: '', published: false });
  expect(second.body.group).toBeUndefined();
  expect(await owner.everything()).toEqual(before);
});

test('what people change is undone, what they do not keep is pruned, and all is undone as one', async () => {
  const { id } = await site('http://one.example');
  const status = async () =>
    (await owner.call<{ sources: object[] }>('GET', '/status')).body.sources;
  expect(await status()).toEqual([{ name: 'home', sites: 2, policies: 1, differing: 0 }]);
  await owner.call('PUT', `/vhosts/${id}`, { config: 'respond hand', tags: [] });
  expect(await status()).toEqual([{ name: 'home', sites: 2, policies: 1, differing: 1 }]);

  const document = { sites: { 'http://one.example': answers('one', { tags: ['a'] }) } };
  const kept = await apply(document);
  expect(ops(kept)).toEqual(['update http://one.example config tags']);
  expect(await served('two')).toBe('two');
  expect(await status()).toEqual([{ name: 'home', sites: 2, policies: 1, differing: 0 }]);

  const other = await apply({ ...document, source: 'other', sites: {}, prune: true });
  expect(ops(other)).toEqual([]);
  const pruned = await apply({ ...document, prune: true });
  expect(ops(pruned)).toEqual(['delete http://two.example', 'delete lan']);
  expect(await site('http://two.example')).toBeUndefined();
  expect(await site('http://hand.example')).toBeDefined();

  const revert = await owner.call('POST', `/changelog/groups/${pruned.body.group}/revert`);
  expect(revert.status).toBe(200);
  expect(await served('two')).toBe('two');
  expect(await site('http://two.example')).toMatchObject({ source: 'home' });
});

test('what belongs to others is adopted if that was asked for, and an undo gives it back', async () => {
  const document = { sites: { 'http://hand.example': answers('hand') }, adopt: true };
  const adopted = await apply(document);
  expect(ops(adopted)).toEqual(['adopt http://hand.example']);
  expect(adopted.body.published).toBeFalse();
  expect(await site('http://hand.example')).toMatchObject({ source: 'home' });
  const [entry] = await owner.changelog();
  expect(JSON.parse(entry?.diff ?? '')).toEqual({ old: { source: null }, new: { source: 'home' } });
  expect((await owner.call('POST', `/changelog/${entry?.id}/revert`)).status).toBe(200);
  expect(await site('http://hand.example')).toMatchObject({ source: null });
});

test('a source catches up with what people changed', async () => {
  await apply({ sites: { 'http://late.example': answers('old') } });
  const { id } = await site('http://late.example');
  await owner.call('PUT', `/vhosts/${id}`, { config: 'respond new' });
  const document = { sites: { 'http://late.example': answers('new') } };
  const first = await apply(document);
  expect(ops(first)).toEqual(['adopt http://late.example']);
  expect(first.body.published).toBeFalse();
  expect(ops(await apply(document))).toEqual([]);
  const { sources } = (await owner.call<{ sources: { differing: number }[] }>('GET', '/status'))
    .body;
  expect(sources.map(({ differing }) => differing)).toEqual([0]);

  const closed = (text: string) => ({ recipe: 'maintenance', values: { text } });
  await apply({ policies: { late: closed('old') } });
  const { body } = await owner.call<{ id: number; name: string }[]>('GET', '/policies');
  const policy = body.find(({ name }) => name === 'late');
  await owner.call('PUT', `/policies/${policy?.id}`, { values: { text: 'new' } });
  expect(ops(await apply({ policies: { late: closed('new') } }))).toEqual(['adopt late']);
  const [entry] = await owner.changelog();
  const shown = { source: 'home' };
  expect([entry?.domain, JSON.parse(entry?.diff ?? '')]).toEqual([
    '(policy late)',
    { old: shown, new: shown },
  ]);
});

test('sites swap their addresses in one apply, and an undo swaps them back', async () => {
  const block = (domains: string, text: string) => ({
    config: `${domains} {\n\trespond ${text}\n}`,
  });
  const before = {
    'http://s1.example': block('http://s1.example, http://x1.example', 's1'),
    'http://s2.example': block('http://s2.example, http://x2.example', 's2'),
  };
  const after = {
    'http://s1.example': block('http://s1.example, http://x2.example', 's1'),
    'http://s2.example': block('http://s2.example, http://x1.example', 's2'),
  };
  expect((await apply({ source: 'swap', sites: before })).status).toBe(200);
  const swapped = await apply({ source: 'swap', sites: after });
  expect(swapped.status).toBe(200);
  expect([await served('x1'), await served('x2')]).toEqual(['s2', 's1']);
  const revert = await owner.call('POST', `/changelog/groups/${swapped.body.group}/revert`);
  expect([revert.status, (revert.body as Body).code]).toEqual([200, undefined]);
  expect([await served('x1'), await served('x2')]).toEqual(['s1', 's2']);
});

test('a check that fails refuses the plan as well', async () => {
  const document = {
    sites: { 'http://checked.example': answers('yes', { check: { path: '/', contains: 'no' } }) },
  };
  const before = await owner.everything();
  for (const answer of [await plan(document), await apply(document)]) {
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([
      502,
      'CHECK_FAILED',
      'sites["http://checked.example"].check',
    ]);
  }
  expect(await owner.everything()).toEqual(before);
});

test('editors read the schema without signing in', async () => {
  const response = await fetch(`${owner.stack.hub}/apply.schema.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toStartWith('application/json');
  const schema = (await response.json()) as { properties: { sites: object } };
  expect(Object.keys(schema.properties)).toEqual(['policies', 'sites']);
});
