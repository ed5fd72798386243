/** Policies that let some visitors in, and what strangers get. */
import { describe, expect, test } from 'bun:test';
import type { Values } from '../../../../src/hub/recipes/recipe.ts';
import { hashSecrets } from '../../../../src/hub/recipes/secrets.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import { words } from '../../../harness/words.ts';
import {
  behind,
  bodyOf,
  request,
  startSitesCaddy,
  statusOf,
  TRUSTED_PROXY,
} from '../../../hub/recipes/sites-caddy.ts';

/** Requests come from 127.0.0.1 if nothing else is said. */
const FRIEND = '127.0.0.2';
const exempt = { exemptNetworks: [FRIEND], exemptPaths: ['/public/*', '/feed'] };
const users = [
  { name: 'slow', password: 'hashed as all are' },
  { name: 'ada', password: 'correct horse' },
  { name: 'b"o\\ #', password: 'ä'.repeat(36) },
];
const basic = (name: string, password: string) => [
  `Authorization: Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
];
const ada = basic('ada', 'correct horse');

/** 127.0.0.1 and 127.0.0.2, or networks with one of them, as IPv6 writes them. */
const MAPPED = words(`
  ::ffff:127.0.0.1 ::FFFF:7f00:1 0:0:0:0:0:ffff:127.0.0.1 ::ffff:127.0.0.1/128
  0000:0000:0000:0000:0000:FFFF:7F00:0001 ::ffff:7f00:0/126 ::ffff:0:0/96
`);
const mappedHosts = MAPPED.map((network, at) => [`mapped${at}.test`, network] as const);

/** As the hub hashes a password, and the cheapest hash there is, as each visit takes as long. */
const hashed = async ([first, ...others]: typeof users): Promise<Values> => {
  const { users: real } = await hashSecrets('basic-auth', { users: [first] });
  const cheap = others.map(async ({ name, password }) => ({
    name,
    hash: await Bun.password.hash(password, { algorithm: 'bcrypt', cost: 4 }),
  }));
  return { users: [...(real as object[]), ...(await Promise.all(cheap))] };
};

const plain = await hashed(users);
const stored = plain.users as { hash: string }[];
const site = (...policies: [string, Values][]) => behind(policies);
const caddy = await forFile(
  startSitesCaddy({
    'basic.test': site(['basic-auth', plain]),
    'exempt.test': site(['basic-auth', { ...plain, ...exempt }]),
    'allow.test': site(['allow', { networks: [FRIEND] }]),
    'lan.test': site(['allow', { networks: ['private_ranges'] }]),
    'hidden.test': site(['allow', { networks: ['203.0.113.0/24'], status: 404 }]),
    'block.test': site(['block', { networks: ['127.0.0.1', '203.0.113.0/24'] }]),
    'maintenance.test': site([
      'maintenance',
      { text: '{env.SECRET} "back"', retryAfter: 60, exemptNetworks: [FRIEND] },
    ]),
    'page.test': site(['maintenance', { text: '<p>{env.SECRET}</p>' }]),
    'plain.test': site(['maintenance', {}]),
    'robots.test': site(['robots', {}]),
    'named.test': site(['robots', { names: ['a.b(c)+'], status: 404 }]),
    ...Object.fromEntries(
      mappedHosts.map(([host, network]) => [host, site(['block', { networks: [network] }])]),
    ),
    'mapped-allow.test': site(['allow', { networks: ['::ffff:7f00:2/128'] }]),
    'mapped-exempt.test': site(['maintenance', { exemptNetworks: ['::FFFF:127.0.0.2'] }]),
    'both.test': site(['allow', { networks: [FRIEND] }], ['basic-auth', plain]),
  }),
);
const STRANGERS = ['basic', 'exempt', 'allow', 'hidden', 'block', 'maintenance', 'page', 'both'];
const METHODS = words('GET HEAD POST PUT DELETE OPTIONS PATCH TRACE PROPFIND X');
const PATHS = words('/ /a // /../ /%2e%2e/ /a%00b /;a /?a /.well-known/x /%zz');

test.each(STRANGERS)('a stranger never gets to %s.test', async (name) => {
  const host = `${name}.test`;
  const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=='];
  const requests = [
    ...METHODS.flatMap((method) => PATHS.map((path) => request(host, { method, path }))),
    request(host, { method: 'POST', body: 'x' }),
    request(host, { lines: upgrade }).replace('Connection: close', 'Connection: Upgrade, close'),
    request(host).replace('HTTP/1.1', 'HTTP/1.0'),
    request(host, { path: `http://${host}/` }),
    request(host, { lines: ['X-Forwarded-For: 127.0.0.2', 'X-Real-IP: 127.0.0.2'] }),
    request(host, { lines: ['Forwarded: for=127.0.0.2', 'User-Agent: GPTBot'] }),
  ];
  const answers = await Promise.all(requests.map((one) => caddy.send(one)));
  const through = requests.filter((_, index) => answers[index]?.includes('BODY'));
  expect(through).toEqual([]);
  expect(statusOf(answers[0] ?? '')).toBeGreaterThanOrEqual(400);
});

describe('basic-auth', () => {
  test('asks, and refuses what is wrong', async () => {
    const answer = await caddy.get('basic.test');
    expect(statusOf(answer)).toBe(401);
    expect(answer).toMatch(/www-authenticate: basic/i);
    for (const [name, password] of [
      ['ada', 'wrong'],
      ['ada', ''],
      ['eve', 'correct horse'],
      ['ada', 'correct horse '],
    ] as const) {
      expect(statusOf(await caddy.get('basic.test', '/', basic(name, password)))).toBe(401);
    }
  });

  test('lets users in', async () => {
    for (const { name, password } of users) {
      expect(bodyOf(await caddy.get('basic.test', '/', basic(name, password)))).toBe('BODY');
    }
  });

  test('takes as long for a name that exists as Caddy does for one that does not', async () => {
    // Of its decoy, and of what it hashes.
    const own = await Bun.$`caddy hash-password --plaintext x`.text();
    const costOf = (hash: string) => /^\$2[ab]\$(\d\d)\$/.exec(hash)?.[1];
    expect(costOf(stored[0]?.hash ?? '')).toBe(costOf(own) as string);
  });

  test('lets exempt networks and paths in', async () => {
    expect(bodyOf(await caddy.get('exempt.test', '/', [], FRIEND))).toBe('BODY');
    for (const path of ['/feed', '/feed?next=https://a.example/../', '/public/', '/public/a%20b']) {
      expect([path, bodyOf(await caddy.get('exempt.test', path))]).toEqual([path, 'BODY']);
    }
  });

  test.each([
    ...words(`
      /feed/ /feeds /public /publicity /a/public/ /?/feed /#/feed /feed. /public/../admin
      /public/.. /public/%2e%2e/admin /public/%2E./admin //public/a /public//admin
      /public/..%2fadmin /public/%2Fadmin /public/..;/admin /feed%20 /public/%5c..
      /public/%252e%252e/admin /admin/../public/a /public/%c0%ae%C0%AE/admin /public%C1%9Ca
      /public../admin /public/../../admin /public%2e%2e/admin /public%2Fadmin
    `),
    '/public/\\..',
  ])('asks at %s, which only looks exempt', async (path) => {
    expect(statusOf(await caddy.get('exempt.test', path))).toBe(401);
  });
});

describe('allow and block', () => {
  test('refuse with a status', async () => {
    expect(statusOf(await caddy.get('allow.test'))).toBe(403);
    expect(statusOf(await caddy.get('hidden.test'))).toBe(404);
    expect(statusOf(await caddy.get('block.test'))).toBe(403);
  });

  test.each(mappedHosts)(
    '%s refuses the IPv4 address that %s stands for',
    async (host, network) => {
      expect(statusOf(await caddy.get(host))).toBe(403);
      const friend = await caddy.get(host, '/', [], FRIEND);
      if (/\/(96|126)$/.test(network)) expect(statusOf(friend)).toBe(403);
      else expect(bodyOf(friend)).toBe('BODY');
    },
  );

  test('let in, and exempt, the IPv4 address that one of IPv6 stands for', async () => {
    for (const [host, status] of [
      ['mapped-allow.test', 403],
      ['mapped-exempt.test', 503],
    ] as const) {
      expect(statusOf(await caddy.get(host))).toBe(status);
      expect(bodyOf(await caddy.get(host, '/', [], FRIEND))).toBe('BODY');
    }
  });

  test('let the others in', async () => {
    expect(bodyOf(await caddy.get('allow.test', '/', [], FRIEND))).toBe('BODY');
    expect(bodyOf(await caddy.get('lan.test'))).toBe('BODY');
    expect(bodyOf(await caddy.get('block.test', '/', [], FRIEND))).toBe('BODY');
  });

  test.if(caddyIs('>=2.7.0'))('believe a trusted proxy about its clients', async () => {
    const of = (host: string, client: string) =>
      caddy.get(host, '/', [`X-Forwarded-For: ${client}`], TRUSTED_PROXY);
    expect(statusOf(await of('lan.test', '198.51.100.1'))).toBe(403);
    expect(statusOf(await of('block.test', '203.0.113.9'))).toBe(403);
    expect(bodyOf(await of('allow.test', FRIEND))).toBe('BODY');
  });

  test('stand before a password', async () => {
    expect(statusOf(await caddy.get('both.test', '/', ada))).toBe(403);
    expect(statusOf(await caddy.get('both.test', '/', [], FRIEND))).toBe(401);
    expect(bodyOf(await caddy.get('both.test', '/', ada, FRIEND))).toBe('BODY');
  });
});

describe('maintenance', () => {
  test('answers with the text as it is written', async () => {
    const answer = await caddy.get('maintenance.test');
    expect(answer).not.toContain('LEAKED');
    expect([statusOf(answer), bodyOf(answer)]).toEqual([503, '{env.SECRET} "back"']);
    expect(answer).toMatch(/retry-after: 60\r/i);
    expect(answer).toMatch(/content-type: text\/plain/i);
    expect(bodyOf(await caddy.get('maintenance.test', '/', [], FRIEND))).toBe('BODY');
  });

  test('answers with a page, and with a text of its own', async () => {
    const answer = await caddy.get('page.test');
    expect(answer).toMatch(/content-type: text\/html/i);
    expect(bodyOf(answer)).toBe('<p>{env.SECRET}</p>');
    const plain = await caddy.get('plain.test');
    expect([statusOf(plain), bodyOf(plain)]).toEqual([503, 'Down for maintenance.']);
    expect(plain).not.toMatch(/retry-after/i);
  });
});

describe('robots', () => {
  const as = (host: string, agent: string) => caddy.get(host, '/', [`User-Agent: ${agent}`]);

  test('are refused by their names, whatever the case', async () => {
    for (const agent of ['GPTBot', 'Mozilla/5.0 (compatible; gptbot/1.2)', 'CCBOT']) {
      expect([agent, statusOf(await as('robots.test', agent))]).toEqual([agent, 403]);
    }
    expect(statusOf(await as('named.test', 'x a.b(c)+'))).toBe(404);
  });

  test('others are let in', async () => {
    for (const agent of ['Mozilla/5.0 Firefox/140.0', 'curl/8', '']) {
      expect([agent, bodyOf(await as('robots.test', agent))]).toEqual([agent, 'BODY']);
    }
    expect(bodyOf(await as('named.test', 'axb(c)+'))).toBe('BODY');
    expect(bodyOf(await as('named.test', 'a.bcc'))).toBe('BODY');
  });
});
