// proof: hub
/** `/doors` end to end: what a stranger gets from the Caddy that visitors reach is what the hub says of each site. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { DoorView } from '../../../../src/features/doors/schemas.ts';
import type { Opens } from '../../../../src/features/doors/shared/opens.ts';
import { recipeOf } from '../../../../src/hub/recipes/registry.ts';
import { forFile } from '../../../harness/for-file.ts';
import { limit } from '../../../harness/speed.ts';
import { freePort, until } from '../../../harness/stack.ts';
import { knowsAddresses, type Live, startHouse } from './house.ts';

setDefaultTimeout(limit(60_000));
const house = await forFile(startHouse());

const USERS = [{ name: 'ada', password: 'correct horse battery' }];
const AUTHORITY = recipeOf('client-certificate')?.example.authority;
const POLICIES: Record<string, [recipe: string, values: object]> = {
  lan: ['allow', { networks: ['private_ranges'] }],
  blocked: ['block', { networks: ['198.51.100.0/24'] }],
  'lan-404': ['allow', { networks: ['private_ranges'], status: 404 }],
  // With all addresses that are used in examples.
  bogons: [
    'block',
    { networks: ['192.0.2.0/24', '198.51.100.0/24', '11.0.0.0/8', '2001:db8::/32', '2a00::/12'] },
  ],
  password: ['basic-auth', { users: USERS }],
  'password-but-api': ['basic-auth', { users: USERS, exemptPaths: ['/api/*'] }],
  'password-but-home': ['basic-auth', { users: USERS, exemptNetworks: ['private_ranges'] }],
  authelia: ['authelia', { address: house.signIn }],
  authentik: ['authentik', { address: house.signIn }],
  'authelia-or-device': ['authelia', { address: house.signIn, exemptCertificates: AUTHORITY }],
  'authentik-or-device': ['authentik', { address: house.signIn, exemptCertificates: AUTHORITY }],
  'service-or-device': [
    'forward-auth',
    { address: house.signIn, uri: '/check', copyHeaders: [], exemptCertificates: AUTHORITY },
  ],
  certificate: ['client-certificate', recipeOf('client-certificate')?.example ?? {}],
  'certificate-asked': [
    'client-certificate',
    { ...recipeOf('client-certificate')?.example, mode: 'request' },
  ],
};

const PROXY = 'reverse_proxy {upstream}';
const IN_CASE = (matcher: string, refusal: string) =>
  `@in ${matcher}\nhandle @in {\n\t${PROXY}\n}\nhandle {\n\t${refusal}\n}`;
const REGULAR = IN_CASE('path_regexp ^/share/[a-z]+$', 'respond 403');
const SECURE = `tls internal\n${PROXY}`;

type Site = {
  config?: string;
  policies?: string[];
  enabled?: boolean;
  /** `byAddress`: what it is where Caddy can be told addresses; else it is unsure. */
  opensTo: Opens | { byAddress: Opens };
  /** Where strangers get the most. */
  path?: string;
  /** What lets in fewer. */
  paths?: DoorView['paths'];
  /** From where. */
  as?: string;
};

const SITES: Record<string, Site> = {
  'http://open.example': { opensTo: 'anyone' },
  'http://off.example': { enabled: false, opensTo: 'nobody' },
  'http://lan.example': { policies: ['lan'], opensTo: { byAddress: 'networks' } },
  'http://blocked.example': { policies: ['blocked'], opensTo: { byAddress: 'anyone' } },
  'http://password.example': { policies: ['password'], opensTo: 'password' },
  'http://api.example': {
    policies: ['password-but-api'],
    opensTo: 'anyone',
    path: '/api/',
    paths: [
      { path: '/', opensTo: 'password' },
      { path: '/*', opensTo: 'password' },
    ],
  },
  'http://home.example': {
    policies: ['password-but-home'],
    opensTo: { byAddress: 'password' },
  },
  'http://authelia.example': { policies: ['authelia'], opensTo: 'sign-in' },
  'http://authentik.example': { policies: ['authentik'], opensTo: 'sign-in' },
  'https://authelia-device.example': {
    config: SECURE,
    policies: ['authelia-or-device'],
    opensTo: 'sign-in',
  },
  'https://authentik-device.example': {
    config: SECURE,
    policies: ['authentik-or-device'],
    opensTo: 'sign-in',
  },
  'https://service-device.example': {
    config: SECURE,
    policies: ['service-or-device'],
    opensTo: 'sign-in',
  },
  'http://own.many.example': { policies: ['password'], opensTo: 'password' },
  'http://two.example': { policies: ['lan', 'password'], opensTo: { byAddress: 'networks' } },
  'https://certificate.example': {
    config: SECURE,
    policies: ['certificate'],
    opensTo: 'certificate',
  },
  'https://asked.example': { config: SECURE, policies: ['certificate-asked'], opensTo: 'anyone' },
  'https://secure.example': { config: SECURE, opensTo: 'anyone' },
  'http://refused.example': { config: 'respond 403', opensTo: 'nobody' },
  'http://aborted.example': { config: 'abort', opensTo: 'nobody' },
  'http://moved.example': { config: 'redir https://new.example{uri}', opensTo: 'anyone' },
  'http://paths.example': {
    config: IN_CASE('path /share/*', 'respond 403'),
    opensTo: 'anyone',
    path: '/share/',
    paths: [
      { path: '/', opensTo: 'nobody' },
      { path: '/*', opensTo: 'nobody' },
    ],
  },
  'http://posts.example': {
    config: IN_CASE('method POST', 'respond 403'),
    opensTo: 'anyone',
    path: 'POST /',
    paths: [
      { path: '/', opensTo: 'nobody' },
      { path: '/*', opensTo: 'nobody' },
    ],
  },
  'http://abroad.example': {
    config: IN_CASE('remote_ip 10.0.0.0/8 fd00::/8', 'abort'),
    opensTo: { byAddress: 'networks' },
  },
  'http://ipv6.example': {
    config: IN_CASE('remote_ip 10.0.0.0/8 ::/0', 'abort'),
    opensTo: { byAddress: 'anyone' },
    as: '2001:db8::9',
  },
  'http://bogons.example': { policies: ['bogons'], opensTo: { byAddress: 'anyone' } },
  'http://not-get.example': {
    config: `@get method GET\nrespond @get 403\n${PROXY}`,
    opensTo: 'anyone',
    path: 'POST /',
    paths: [
      { path: '/', opensTo: 'nobody' },
      { path: '/*', opensTo: 'nobody' },
    ],
  },
  'http://stripped.example': {
    config: `handle_path /api/* {\n${IN_CASE('path /public/*', 'respond 403')}\n}\nrespond 403`,
    opensTo: 'anyone',
    path: '/api/public/',
    paths: [
      { path: '/', opensTo: 'nobody' },
      { path: '/api/', opensTo: 'nobody' },
      { path: '/public/', opensTo: 'nobody' },
      { path: '/*', opensTo: 'nobody' },
    ],
  },
  'http://both.example': {
    config: `@a not path /a/*\nrespond @a 403\n@jpg not path *.jpg\nrespond @jpg 403\n${PROXY}`,
    opensTo: 'anyone',
    path: '/a/xx.jpg',
    paths: [
      { path: '/', opensTo: 'nobody' },
      { path: '/a/', opensTo: 'nobody' },
      { path: '/x.jpg', opensTo: 'nobody' },
      { path: '/*', opensTo: 'nobody' },
    ],
  },
  // It gives visitors what the service answers, as no sign-in does.
  'http://copied.example': {
    config:
      'reverse_proxy {upstream} {\nmethod GET\n@ok status 2xx\nhandle_response @ok {\ncopy_response\n}\n}',
    opensTo: 'anyone',
  },
  // What is behind a refusal of everybody does not matter.
  'http://lan-regular.example': {
    config: `@share path_regexp ^/share/[a-z]+$\nreverse_proxy @share {upstream}\nfile_server`,
    policies: ['lan-404'],
    opensTo: { byAddress: 'networks' },
  },
  'http://authelia-regular.example': {
    config: REGULAR,
    policies: ['authelia'],
    opensTo: 'sign-in',
  },
};

/** Of sites that listen on some addresses only, as connections to these would come to no other site. */
const [LOCAL, BOUND] = [freePort(), freePort()];
const LISTENING: Record<string, string> = {
  [`http://local-refused.example:${LOCAL}`]: 'bind 127.0.0.1\nrespond 403',
  [`http://bound.example:${BOUND}`]: `bind 0.0.0.0\n${PROXY}`,
};

/** What only some know or reach, or no trial can tell. */
const UNSURE: Record<string, string> = {
  'http://header.example': IN_CASE('header X-Secret hush', 'respond 403'),
  'http://cookie.example': `@none not header Cookie *\nrespond @none 403\n${PROXY}`,
  'http://headers.example': `@a not header A *\nrespond @a 403\n@b not header !B\nrespond @b 403\n${PROXY}`,
  'http://grpc.example': IN_CASE('protocol grpc', 'respond 403'),
  'http://class.example': IN_CASE('path /s[0-9]', 'respond 403'),
  'http://status.example':
    'map {query.key} {code} {\nopen 200\ndefault 403\n}\nrespond hello {code}',
  'http://variable.example': `vars key {query.key}\n${IN_CASE('vars key open', 'respond 403')}`,
  'http://set.example': `request_header X-A {query.key}\n${IN_CASE('header X-A open', 'respond 403')}`,
  'http://rewritten.example': `rewrite * /{query.path}\n${IN_CASE('path /open', 'respond 403')}`,
  'http://as-asked.example': IN_CASE('vars_regexp {http.request.orig_uri} ^/open', 'respond 403'),
  'http://answered.example':
    'reverse_proxy {upstream} {\n@hidden status 200\nhandle_response @hidden {\nrespond 403\n}\n}',
  'http://many.example': `${Array.from({ length: 70 }, (_, at) => `handle /closed-${at} {\nrespond 403\n}`).join('\n')}\nhandle /open {\n${PROXY}\n}\nrespond 403`,
  'http://regular.example': REGULAR,
  'http://expression.example': IN_CASE('expression `path("/share/*")`', 'respond 403'),
  'http://http2.example': IN_CASE('protocol http/2', 'respond 403'),
  [`http://local.example:${LOCAL}`]: `bind 127.0.0.1\n${PROXY}`,
};

const WILD = {
  'http://*.many.example': IN_CASE('host a.many.example own.many.example', 'respond 403'),
};

async function store(path: string, json: object): Promise<void> {
  const { status, text } = await house.call('POST', path, json);
  if (status >= 300) throw new Error(text);
}

let doors: Map<string, DoorView>;
let asked: object;
beforeAll(async () => {
  for (const [name, [recipe, values]] of Object.entries(POLICIES)) {
    await store('/policies', { name, recipe, values });
  }
  const operations = [
    ...Object.entries(SITES).map(([domain, { config = PROXY, policies = [], enabled = true }]) => ({
      op: 'create',
      domain,
      config,
      policies,
      enabled,
      upstream: house.upstream,
    })),
    ...Object.entries({ ...UNSURE, ...LISTENING, ...WILD }).map(([domain, config]) => ({
      op: 'create',
      domain,
      config,
      upstream: house.upstream,
    })),
  ];
  await store('/vhosts/bulk', { operations });
  doors = await house.doors();
  asked = { ...house.asked };
  // Caddy signs their certificates a moment after the publish.
  for (const domain of Object.keys(SITES).filter((one) => SITES[one]?.config === SECURE)) {
    if (SITES[domain]?.opensTo === 'certificate') continue;
    await until(async () => (await house.visit(domain, '/')) !== 'shut', domain);
  }
});

test('no upstream and no sign-in service was asked', () => {
  expect(asked).toEqual({ upstream: 0, signIn: 0 });
});

const LIVE: Partial<Record<Opens, Live>> = {
  anyone: 'anyone',
  'sign-in': 'sign-in',
  password: 'password',
  certificate: 'shut',
  networks: 'shut',
  nobody: 'shut',
};

describe('what a stranger gets is what is said of', () => {
  test.each(Object.entries(SITES))(
    '%s',
    async (domain, { opensTo, path = '/', paths = [], as }) => {
      const isByAddress = typeof opensTo === 'object';
      const known = isByAddress ? opensTo.byAddress : opensTo;
      const said = doors.get(domain);
      if (isByAddress && !knowsAddresses) {
        expect([said?.opensTo, said?.reason]).toEqual(['unsure', expect.stringContaining('2.7')]);
        return;
      }
      expect([said?.opensTo, said?.proof.path, said?.paths]).toEqual([known, path, paths]);
      const [method = '', at = ''] = path.startsWith('/') ? ['GET', path] : path.split(' ');
      expect(await house.visit(domain, at, { method, ...(as && { as }) })).toBe(
        LIVE[known] as Live,
      );
    },
  );
});

test.each(Object.keys(UNSURE))('%s is unsure, and says why', (domain) => {
  const said = doors.get(domain);
  expect(said?.opensTo).toBe('unsure');
  expect(said?.reason).toBeString();
});

test('a site that only this machine reaches, and refuses everyone, is closed', () => {
  expect(doors.get(`http://local.example:${LOCAL}`)?.reason).toContain('this machine alone');
  expect(doors.get(`http://local-refused.example:${LOCAL}`)?.opensTo).toBe('nobody');
  expect(doors.get(`http://bound.example:${BOUND}`)?.opensTo).toBe('anyone');
});

test('a site of many hosts is as open as each host that its rules name', () => {
  const said = doors.get('http://*.many.example');
  expect([said?.opensTo, said?.proof.path]).toEqual(['anyone', 'a.many.example/']);
  expect(said?.paths).toContainEqual({ path: '/', opensTo: 'nobody' });
  // It has a site of its own.
  expect(said?.paths.filter(({ path }) => path.startsWith('own.'))).toEqual([]);
  expect(doors.get('http://own.many.example')?.opensTo).toBe('password');
});

test('names the policies that decide, and nothing else', () => {
  expect(doors.get('http://two.example')?.by).toEqual(['lan', 'password']);
  expect(doors.get('http://open.example')?.by).toEqual([]);
});

test('a publish makes it ask again, and nothing else does', async () => {
  const id = doors.get('http://open.example')?.vhost;
  const trials = () =>
    house.stack.lines.filter((line) => line.includes('route=/proxy/doors/trial')).length;
  const before = trials();
  await house.doors();
  expect(trials()).toBe(before);
  await house.call('PUT', `/vhosts/${id}`, { policies: ['password'] });
  expect((await house.doors()).get('http://open.example')?.opensTo).toBe('password');
  await until(() => trials() > before, 'the line about the trial');
  expect(trials()).toBe(before + 1);
});
