/** What the labels of a container ask for, and what an agent does not let them ask for. */
import { describe, expect, test } from 'bun:test';
import { type Allowed, labelledSites } from '../../../src/features/containers/labels.ts';
import { claimsOf } from '../../../src/features/containers/wanted.ts';
import type { Container } from '../../../src/features/containers/wire.ts';
import { normalizeDomain } from '../../../src/hub/caddyfile/address.ts';
import { addressesOf } from '../../../src/hub/model/endpoints.ts';
import { EMPTY_SET } from '../../../src/hub/model/vhost.ts';
import { newVhost } from '../../../src/hub/model/vhost-changes.ts';
import fc from '../../harness/generated.ts';
import { words } from '../../harness/words.ts';

const SAFE: Allowed = { labels: 'safe', domains: [] };
const ALL: Allowed = { labels: 'all', domains: [] };
const HOME: Allowed = { labels: 'safe', domains: ['*.home.example', 'one.example'] };
const PORT = { port: 80, address: '127.0.0.1:8080', published: true };

const container = (labels: Container['labels'], more: Partial<Container> = {}): Container => ({
  id: 'c1',
  name: 'app',
  image: 'app',
  state: 'running',
  addresses: [],
  ports: [PORT],
  startedAt: '2026-11-20T18:00:00.000Z',
  host: null,
  unreached: null,
  labels,
  ...more,
});
const labels = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`signalbox.${name}`, value]));
const only = (fields: Record<string, string>, allowed = SAFE, more: Partial<Container> = {}) => {
  const [found, ...others] = labelledSites(container(labels(fields), more), allowed);
  expect(others).toEqual([]);
  return found;
};

/** The labels of a site `a.example`. */
const wants = (fields: Record<string, string> = {}) => ({ domain: 'a.example', ...fields });

describe('is no site:', () => {
  const rows: [string, Record<string, string>, string, Allowed?, Partial<Container>?][] = [
    ['no domain', { port: '80' }, '"" is not a domain.'],
    ['a domain with a space', { domain: 'a b' }, '"a b" is not a domain.'],
    ['a domain with a placeholder', { domain: '{$HOST}' }, '"{$HOST}" is not a domain.'],
    ['a domain without a host', { domain: ':8080' }, '":8080" is not a domain.'],
    ['a domain that is a block', { domain: 'a.example {' }, '"a.example {" is not a domain.'],
    ['a second domain at fault', { domain: 'a.example, b c' }, '"b c" is not a domain.'],
    ['an unknown label', { domian: 'a.example' }, 'Did you mean signalbox.domain?'],
    ['an unknown label of a site', wants({ prot: '80' }), 'Did you mean signalbox.port?'],
    ['a config, where that is not allowed', wants({ config: 'respond a' }), 'DOCKER_LABELS'],
    ['a config with addresses', wants({ config: 'a.example {\n}' }), 'without its addresses', ALL],
    [
      'a config with addresses once its upstream is filled in',
      {
        domain: 'http://a.home.example:81',
        upstream: 'http://a.home.example:81',
        config: '{upstream}, http://evil.example {\nrespond x\n}',
      },
      'without its addresses',
      { ...HOME, labels: 'all' },
    ],
    ['a domain that is not allowed', wants(), 'DOCKER_DOMAINS', HOME],
    ['a domain below one that is allowed', { domain: 'a.b.home.example' }, 'DOCKER_DOMAINS', HOME],
    ['the domain of the bound', { domain: 'home.example' }, 'DOCKER_DOMAINS', HOME],
    ['one of two domains', { domain: 'one.example, two.example' }, 'two.example: see', HOME],
    ['two ports', wants(), 'the ports 80 and 443', SAFE, { ports: [PORT, { ...PORT, port: 443 }] }],
    ['no port', wants(), 'no port', SAFE, { ports: [] }],
    ['a port that is none', wants({ port: '80x' }), 'not a port'],
    ['a port that is too high', wants({ port: '65536' }), 'not a port'],
    ['a port that is not reached', wants({ port: '81' }), 'does not reach its port 81'],
    [
      'a container that is not reached',
      wants(),
      'Publish a port.',
      SAFE,
      { ports: [{ ...PORT, address: null }], unreached: 'Publish a port.' },
    ],
    ['a scheme', wants({ scheme: 'ftp' }), 'not "ftp"'],
    ['an upstream that is none', wants({ upstream: 'a b' }), 'is not an upstream'],
    [
      'an upstream that is a socket',
      wants({ upstream: 'unix//run/docker.sock' }),
      'is not an upstream',
    ],
    [
      'an upstream with a placeholder',
      wants({ upstream: '{http.request.host}:80' }),
      'is not an upstream',
    ],
    ['a check that is none', wants({ check: 'health' }), 'signalbox.check'],
    [
      'a check with an unknown field',
      wants({ check: '{"path":"/","method":"PUT"}' }),
      'signalbox.check',
    ],
  ];
  test.each(rows.map((row) => [row[0], row] as const))('%s', (_, row) => {
    const [, fields, words, allowed, more] = row;
    const found = only(fields, allowed, more);
    expect(found?.fault).toContain(words);
    expect(found?.site).toBeNull();
  });

  test('more than 20 in one container, or labels that are not known', () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`signalbox.${at + 1}.domain`, `a${at}.example`]),
    );
    const found = labelledSites(container(many), SAFE);
    expect(found).toHaveLength(20);
    expect(found.every(({ site }) => site === null)).toBeTrue();
    expect(labelledSites(container(null), SAFE)).toMatchObject([{ domain: null, site: null }]);
  });
});

const PLAIN = {
  policies: [],
  tags: [],
  check: null,
  config: 'reverse_proxy {upstream}',
  upstream: '127.0.0.1:8080',
};

const sites: [string, Record<string, string>, object, Allowed?, Partial<Container>?][] = [
  ['the only port', { domain: 'A.example.' }, {}],
  [
    'a port of a host that is reached',
    wants({ port: '81' }),
    { upstream: '10.0.0.2:81' },
    SAFE,
    { host: '10.0.0.2' },
  ],
  ['a scheme', wants({ scheme: 'https' }), { upstream: 'https://127.0.0.1:8080' }],
  [
    'an upstream',
    wants({ upstream: '10.0.0.9:1', scheme: 'h2c' }),
    { upstream: 'h2c://10.0.0.9:1' },
  ],
  [
    'lists',
    wants({ policies: 'lan, ada', tags: 'x,,y' }),
    { policies: ['lan', 'ada'], tags: ['x', 'y'] },
  ],
  ['a path to check', wants({ check: '/up' }), { check: { path: '/up' } }],
  ['a check', wants({ check: '{"path":"/","status":204}' }), { check: { path: '/', status: 204 } }],
  ['a config', wants({ config: 'respond a' }), { config: 'respond a' }, ALL],
  [
    'several domains',
    { domain: 'a.example, http://b.example' },
    { config: 'a.example, http://b.example {\n\treverse_proxy {upstream}\n}' },
  ],
];
test.each(sites.map((row) => [row[0], row] as const))('%s', (_, row) => {
  const [, fields, site, allowed, more] = row;
  expect(only(fields, allowed, more)).toMatchObject({
    domain: 'a.example',
    site: { ...PLAIN, ...site },
    fault: null,
  });
});

test('a container has several sites, each by itself', () => {
  const fields = { '2.domain': 'b.example', '2.port': '99', '1.domain': 'a.example' };
  const found = labelledSites(container(labels(fields)), SAFE);
  expect(found.map(({ domain, fault }) => [domain, fault === null])).toEqual([
    ['a.example', true],
    ['b.example', false],
  ]);
});

test('of two containers with one domain, the one that runs, and then the one that has run longer', () => {
  const asks = labels({ domain: 'a.example' });
  const at = (id: string, startedAt: string | null, state = 'running') =>
    container(asks, { id, name: id, startedAt, state });
  const winner = (...containers: Container[]) => {
    const known = { engine: 'up' as const, detail: null, tag: '', ...SAFE, containers };
    return claimsOf(known).claims.get('a.example')?.container.id;
  };
  const [old, young] = [at('z', '2026-11-20T18:00:00.000Z'), at('a', '2026-11-21T18:00:00.000Z')];
  expect([winner(old, young), winner(young, old)]).toEqual(['z', 'z']);
  expect(winner(at('b', null, 'exited'), young)).toBe('a');
});

test('whatever labels say, they name no host beyond the bounds, and no config where that is not allowed', () => {
  const part = fc.oneof(
    fc.constantFrom(
      ...words(`
        a.home.example one.example *.home.example evil.example :80 { } , http:// / " # {$X}
      `),
      '\n',
      ' ',
      '`',
      '\u0000',
      'import x',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
  const field = fc.constantFrom(
    'domain',
    'port',
    'scheme',
    'upstream',
    'policies',
    'tags',
    'check',
    'config',
  );
  const all = fc.dictionary(
    fc.tuple(fc.constantFrom('', '1.', '2.'), field).map((one) => one.join('')),
    text,
  );
  let sites = 0;
  const isWithin = (address: string) =>
    /^(?:https?:\/\/)?(?:[^./:*]+\.home\.example|\*\.home\.example|one\.example)(?::\d+)?$/.test(
      normalizeDomain(address) ?? '',
    );
  fc.assert(
    fc.property(all, fc.constantFrom('safe' as const, 'all' as const), (fields, mode) => {
      const asked = { ...labels(fields), 'signalbox.3.domain': 'a.home.example' };
      for (const { domain, site } of labelledSites(container(asked), { ...HOME, labels: mode })) {
        if (!site || domain === null) continue;
        if (mode === 'safe') expect(site.config).toMatch(/reverse_proxy \{upstream\}(\n\})?$/);
        let made: ReturnType<typeof newVhost>;
        try {
          made = newVhost({ ...site, policies: [], domain }, EMPTY_SET, new Date(0));
        } catch {
          continue;
        }
        sites++;
        for (const address of addressesOf(made))
          expect([address, isWithin(address)]).toEqual([address, true]);
      }
    }),
    { numRuns: 10_000 },
  );
  expect(sites).toBeGreaterThan(1_000);
});

test('the page about containers has a row for each label, and the bounds hold as it says', async () => {
  const page = await Bun.file('docs/containers.md').text();
  const named = [...page.matchAll(/^\| `signalbox\.(\w+)` \|/gm)].map(([, name = '']) => name);
  for (const name of named) {
    expect(only({ domain: 'a.example', [name]: 'x' }, ALL)?.fault ?? '').not.toContain('no label');
  }
  const fields = ['domain', 'port', 'scheme', 'upstream', 'policies', 'tags', 'check', 'config'];
  expect(named).toEqual(fields);
  const bound: Allowed = { labels: 'safe', domains: ['*.home.example'] };
  for (const [domain, isAllowed] of [
    ['a.home.example', true],
    ['*.home.example', true],
    ['home.example', false],
    ['a.b.home.example', false],
  ] as const) {
    expect(page).toContain(`\`${domain}\``);
    expect(only({ domain }, bound)?.fault === null).toBe(isAllowed);
  }
});

test('of two containers, the one that has run longer has all of its domains', () => {
  const at = (id: string, day: number, domain: string) =>
    container(labels({ domain }), { id, name: id, startedAt: `2026-11-${day}T18:00:00.000Z` });
  const old = at('old', 20, 'http://b.example, http://a.example');
  const young = at('young', 21, 'http://c.example, http://A.example');
  for (const containers of [
    [old, young],
    [young, old],
  ]) {
    const known = { engine: 'up' as const, detail: null, tag: '', ...SAFE, containers };
    const { claims, reasons } = claimsOf(known);
    expect([...claims.keys()]).toEqual(['http://b.example']);
    expect(reasons.get('young')).toEqual(['The container old has http://A.example already.']);
  }
});

test('labels without a domain keep only the sites as they are that lead to their container', () => {
  const known = (...containers: Container[]) =>
    claimsOf({ engine: 'up' as const, detail: null, tag: '', ...SAFE, containers });
  const half = container(labels({ domian: 'a.example' }), { host: '10.0.0.2' });
  const { leadsToUnclear } = known(half);
  expect(['127.0.0.1:8080', 'https://127.0.0.1:8080', '10.0.0.2:99'].map(leadsToUnclear)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['127.0.0.1:8081', '10.0.0.20:99', '10.0.0.3:80'].map(leadsToUnclear)).toEqual([
    false,
    false,
    false,
  ]);
  expect(known(container(labels({ domain: 'a.example' }))).leadsToUnclear('127.0.0.1:8080')).toBe(
    false,
  );
});
