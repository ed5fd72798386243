/** Policies that ask a sign-in service, imitated by a small server, and what the upstream then gets. */
import { describe, expect, test } from 'bun:test';
import { spellings } from '../../../../src/hub/recipes/forward-auth.ts';
import type { Values } from '../../../../src/hub/recipes/recipe.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile, listenerForFile, serverForFile } from '../../../harness/for-file.ts';
import { freePort } from '../../../harness/stack.ts';
import { words } from '../../../harness/words.ts';
import {
  behind,
  bodyOf,
  request,
  startSitesCaddy,
  statusOf,
  TRUSTED_PROXY,
} from '../../../hub/recipes/sites-caddy.ts';

const FRIEND = '127.0.0.2';
const LOGIN = 'https://auth.example/';
const IDENTITY: Record<string, Record<string, string>> = {
  ada: {
    'Remote-User': 'ada',
    'Remote-Groups': 'admins',
    'X-Authentik-Username': 'ada',
    'X-Forwarded-User': 'ada',
  },
  // The service lets these in without saying who they are.
  someone: {},
};

/** Who is signed in stands in a cookie; `/forbidden` is for nobody. */
const asked: Request[] = [];
const service = serverForFile((request) => {
  asked.push(request);
  if (!/auth|verify/.test(new URL(request.url).pathname.replace(/^\/outpost[^/]*\/(?!auth)/, ''))) {
    return new Response('the service itself');
  }
  const who = /as=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1];
  if (request.headers.get('x-forwarded-uri')?.startsWith('/forbidden')) {
    return new Response('not for you', { status: 403 });
  }
  const headers = IDENTITY[who ?? ''];
  if (!headers) return new Response(null, { status: 302, headers: { Location: LOGIN } });
  return new Response(null, { headers });
});

/** The requests as they arrive, which no HTTP server would show unchanged. */
const arrived: string[] = [];
const upstream = listenerForFile((text, socket) => {
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
  const end = text.indexOf('\r\n\r\n');
  if (end < 0 || Buffer.byteLength(text.slice(end + 4)) < length) return;
  arrived.push(text);
  socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nBODY');
});

/** What a FastCGI program gets, as bytes; it answers nothing. */
const variables: string[] = [];
const END_OF_STDIN = '\u0001\u0005\u0000\u0001\u0000\u0000\u0000\u0000';
const program = listenerForFile((text, socket) => {
  if (!text.endsWith(END_OF_STDIN)) return;
  variables.push(text);
  socket.end();
}, 'latin1');

const address = `127.0.0.1:${service.port}`;
const copyHeaders = [
  'remote-user',
  'X-Forwarded-User',
  'X-Auth-Foo',
  'X-Auth-Request-Preferred-Username',
];
const generic = { address, uri: '/auth/check', copyHeaders };
const exempt = { exemptNetworks: [FRIEND], exemptPaths: ['/public/*'] };

const KINDS: [string, string, Values][] = [
  ['authelia.test', 'authelia', { address, ...exempt }],
  ['authentik.test', 'authentik', { address, ...exempt }],
  ['generic.test', 'forward-auth', { ...generic, ...exempt }],
];

const body = `reverse_proxy 127.0.0.1:${upstream.port}`;
const down = `127.0.0.1:${freePort()}`;
const site = (id: string, values: Values) => behind([[id, values]], body);
const caddy = await forFile(
  startSitesCaddy({
    ...Object.fromEntries(KINDS.map(([host, id, values]) => [host, site(id, values)])),
    'down-authelia.test': site('authelia', { address: down }),
    'down-authentik.test': site('authentik', { address: down }),
    'down-generic.test': site('forward-auth', { ...generic, address: down }),
    'fastcgi.test': behind(
      [['forward-auth', generic]],
      `reverse_proxy 127.0.0.1:${program.port} {\ntransport fastcgi {\nroot /\n}\n}`,
    ),
    'legacy.test': site('authelia', { address, uri: '/api/verify?rd=https://auth.example/' }),
  }),
);

/** What the upstream gets of a request; undefined if it gets nothing. */
async function arrivalOf(of: string, from?: string): Promise<string | undefined> {
  const before = arrived.length;
  await caddy.send(of, from);
  return arrived[before];
}

/** The header lines that an upstream may take for one of these names, however it joins the parts. */
function identities(arrival: string, name: RegExp): string[] {
  const [head = ''] = arrival.split('\r\n\r\n');
  return head
    .split('\r\n')
    .filter((line) => name.test(line.split(':')[0]?.replaceAll(/\W|_/g, '-') ?? ''));
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'X'];
const PATHS = words('/ // /../ /%2e%2e/ /public/../a /public/%2e%2e/a /outpost /?a');

describe.each(KINDS)('%s: a stranger', (host) => {
  test('never gets to the upstream', async () => {
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=='];
    const requests = [
      ...METHODS.flatMap((method) => PATHS.map((path) => request(host, { method, path }))),
      request(host, { method: 'POST', body: 'x' }),
      request(host, { lines: upgrade }).replace('Connection: close', 'Connection: Upgrade, close'),
      request(host).replace('HTTP/1.1', 'HTTP/1.0'),
      request(host, { lines: ['Remote-User: ada', 'X-Authentik-Username: ada'] }),
      request(host, { lines: ['X-Forwarded-For: 127.0.0.2', 'Cookie: as=eve'] }),
      request(host, { lines: ['X-Forwarded-Uri: /public/', 'X-Original-URL: /public/'] }),
    ];
    for (const one of requests) expect([one, await arrivalOf(one)]).toEqual([one, undefined]);
    const answer = await caddy.get(host);
    expect(statusOf(answer)).toBe(302);
    expect(answer).toContain(`Location: ${LOGIN}`);
  });

  test('is refused as the service says, even if signed in', async () => {
    const answer = await caddy.get(host, '/forbidden', ['Cookie: as=ada']);
    expect([statusOf(answer), bodyOf(answer)]).toEqual([403, 'not for you']);
  });

  test('gets 502 if the service is down', async () => {
    const down = `down-${host}`;
    for (const path of ['/', '/public/a']) {
      expect(statusOf(await caddy.get(down, path, ['Cookie: as=ada']))).toBe(502);
    }
    expect(await arrivalOf(request(down, { lines: ['Cookie: as=ada'] }))).toBeUndefined();
  });

  test('gets in from exempt networks and at exempt paths', async () => {
    expect(await arrivalOf(request(host), FRIEND)).toStartWith('GET / ');
    expect(await arrivalOf(request(host, { path: '/public/a' }))).toStartWith('GET /public/a ');
  });
});

const FORGED = words(`
  Remote-User remote-user REMOTE_USER Remote_User rEmOtE_uSeR Remote.User Remote-Groups
  Remote_Groups Remote-Email Remote~Name Remote-Whatever X-Authentik-Username X_Authentik_Username
  x_authentik-username X-Authentik_Groups X.Authentik.Email X-AUTHENTIK-META-APP X_Authentik_Jwt
  X-Authentik-Other remote.user REMOTE.GROUPS rEmOtE.eMaIl x.authentik.username X-Authentik.Groups
  X.Authentik-Uid X.Authentik_Jwt X_AUTHENTIK.META.APP
`);
const COPIED = words(`
  X-Forwarded-User x_forwarded_user X-Forwarded_User X_FORWARDED-User X.Forwarded-User
  X-Auth-Request-Preferred-Username X_Auth_Request_Preferred_Username
  x-auth_request-preferred_username X.Auth.Request.Preferred.Username x.forwarded.user
  X-Forwarded.User X.FORWARDED_USER X.Auth.Foo x.auth-foo X-Auth.Foo X_Auth.Foo
  x.auth.request-preferred.username
`);
const forged = [...FORGED, ...FORGED, ...COPIED, ...COPIED].map((name) => `${name}: forged`);
const ALL = /^(?:remote-|x-authentik-)/i;
const NAMED = /^(?:remote-|x-authentik-|x-forwarded-user$|x-auth-foo$|x-auth-request-)/i;

describe.each(KINDS)('%s: forged identity headers never arrive', (host, id) => {
  const names = id === 'forward-auth' ? NAMED : ALL;

  test('for whoever is signed in, who gets those of the service', async () => {
    const arrival =
      (await arrivalOf(request(host, { lines: [...forged, 'Cookie: as=ada'] }))) ?? '';
    expect(arrival).toStartWith('GET / ');
    const lines = identities(arrival, names);
    expect(lines.filter((line) => line.includes('forged'))).toEqual([]);
    const mine = lines.filter((line) => line.endsWith(': ada'));
    expect(mine.map((line) => line.split(':')[0])).toEqual(
      {
        authelia: ['Remote-User'],
        authentik: ['X-Authentik-Username'],
        'forward-auth': ['Remote-User', 'X-Forwarded-User'],
      }[id] ?? [],
    );
  });

  test.each([
    ['from exempt networks', '/', FRIEND, ''],
    ['at exempt paths', '/public/a', undefined, ''],
    ['where the service names nobody', '/', undefined, 'Cookie: as=someone'],
  ])('%s', async (_, path, from, cookie) => {
    const lines = [...forged, ...(cookie === '' ? [] : [cookie])];
    const arrival = (await arrivalOf(request(host, { path, lines }), from)) ?? '';
    expect(arrival).toStartWith('GET /');
    expect(identities(arrival, names).filter((line) => !/:\s*$/.test(line))).toEqual([]);
  });

  test('and nobody can have those of the service dropped', async () => {
    const lines = ['Cookie: as=ada', 'Connection: Remote-User, X-Authentik-Username'];
    const arrival = await arrivalOf(
      request(host, { lines }).replace('close', 'close, X-Forwarded-User'),
    );
    const mine = id === 'authentik' ? ['X-Authentik-Username'] : ['Remote-User'];
    if (id === 'forward-auth') mine.push('X-Forwarded-User');
    for (const name of mine) expect(arrival).toContain(`\r\n${name}: ada\r\n`);
  });

  test('a connection can still be upgraded', async () => {
    const lines = ['Cookie: as=ada', 'Connection: Upgrade, close', 'Upgrade: websocket'];
    const arrival = await arrivalOf(request(host, { lines }).replace('Connection: close\r\n', ''));
    expect(arrival).toMatch(/\r\nConnection: upgrade\r\n/i);
    expect(arrival).toContain('\r\nUpgrade: websocket\r\n');
  });

  test('at exempt paths, nothing but the path says what is asked for', async () => {
    const names = ['X-Original-URL', 'x_original_url', 'X-Rewrite-URL', 'X_Rewrite-Url'].concat([
      'X-Script-Name',
      'X_SCRIPT_NAME',
    ]);
    const lines = [...names.map((name) => `${name}: /public`), 'X-Other: kept'];
    const arrival = await arrivalOf(request(host, { path: '/public/a', lines }));
    expect(arrival).toContain('\r\nX-Other: kept\r\n');
    expect(arrival).not.toContain(': /public');
  });

  test('the request is otherwise as it was', async () => {
    const lines = ['Cookie: as=ada', 'X-Other: kept', 'Authorization: Bearer kept'];
    const arrival = await arrivalOf(
      request(host, { method: 'POST', path: '/a?b', lines, body: 'sent' }),
    );
    expect(arrival).toStartWith('POST /a?b ');
    expect(arrival).toEndWith('\r\n\r\nsent');
    for (const line of lines) expect(arrival).toContain(`\r\n${line}\r\n`);
  });
});

test('a FastCGI program gets no forged identity under any name', async () => {
  const lines = [...forged, 'X-Other: kept', 'Cookie: as=ada'];
  await caddy.send(request('fastcgi.test', { lines }));
  const [text] = variables;
  expect(text).toContain('HTTP_X_OTHERkept');
  expect(text).toContain('HTTP_REMOTE_USERada');
  expect(text).not.toContain('forged');
});

test('other headers than those of sign-in services are not taken for them', async () => {
  const lines = ['X-Remote-Addr: kept', 'X-Auth-Token: kept', 'X-Forwarded-Proto-Version: kept'];
  const arrival = await arrivalOf(request('generic.test', { lines: [...lines, 'Cookie: as=ada'] }));
  for (const line of lines) expect(arrival).toContain(`\r\n${line}\r\n`);
});

test('the service learns what was asked for, and believes no visitor about it', async () => {
  asked.length = 0;
  const lines = [
    'X-Original-URL: https://open.example/',
    'X-Original-Method: OPTIONS',
    'X-Forwarded-Method: X',
  ];
  await caddy.send(request('legacy.test', { method: 'PUT', path: '/a?b=c', lines, body: 'x' }));
  const [one] = asked;
  expect(new URL(one?.url ?? 'http://x').search).toBe('?rd=https://auth.example/');
  expect(one?.headers.get('x-original-url')).toBeNull();
  expect(one?.headers.get('x-original-method')).toBeNull();
  expect(one?.headers.get('x-forwarded-method')).toBe('PUT');
  expect(one?.headers.get('x-forwarded-uri')).toBe('/a?b=c');
  expect(one?.headers.get('x-forwarded-host')).toBe('legacy.test');
});

const BELIEVED = words(`
  X_Forwarded_For x_forwarded_uri X_FORWARDED-HOST X-Forwarded_Proto X.Forwarded.Method X-Forwarded.For
  x.forwarded_host X-Forwarded-Prefix X-Forwarded-Server X-Forwarded-Ssl X-Forwarded-Port X_Forwarded_Prefix
  X-Real-IP X_Real_IP x.real.ip X-Real_Ip Forwarded X-Original-URL X_Original_URL x.original.uri X-Original_Method
  CF-Connecting-IP CF-Connecting-IPv6 True-Client-IP X-Client-IP Client-IP X-Cluster-Client-IP Fastly-Client-Ip
  X-ProxyUser-Ip X-Appengine-User-Ip X-Azure-ClientIP X-Forwarded
`);

test.each(KINDS)(
  '%s: the service believes no visitor about where a request is from and goes to',
  async (host) => {
    asked.length = 0;
    const lines = [...BELIEVED, ...BELIEVED].map((name) => `${name}: forged`);
    const away = 'Connection: close, X-Forwarded-Uri, X-Forwarded-For, X-Forwarded-Host, X-Real-Ip';
    const one = request(host, { path: '/a', lines }).replace('Connection: close', away);
    await caddy.send(one);
    const headers = [...(asked[0]?.headers ?? [])];
    expect(headers.filter(([, value]) => value.includes('forged'))).toEqual([]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': host,
      'x-forwarded-method': 'GET',
      'x-forwarded-proto': 'http',
      'x-forwarded-uri': '/a',
      'x-real-ip': '127.0.0.1',
    });
  },
);

test.if(caddyIs('>=2.7.0'))('a trusted proxy is believed about who asks', async () => {
  asked.length = 0;
  await caddy.get('generic.test', '/', ['X-Forwarded-For: 203.0.113.9'], TRUSTED_PROXY);
  expect(asked[0]?.headers.get('x-real-ip')).toBe('203.0.113.9');
});

test.each(KINDS)('%s: the service gets no parameters from a visitor', async (host) => {
  asked.length = 0;
  await caddy.send(request(host, { path: '/a?rd=https://evil.example&allowed=eve' }));
  expect(new URL(asked[0]?.url ?? 'http://x').search).toBe('');
  expect(asked[0]?.headers.get('x-forwarded-uri')).toEndWith(
    '?rd=https://evil.example&allowed=eve',
  );
});

test('the pages of authentik’s outpost are open, and lead nowhere else', async () => {
  for (const path of ['/outpost.goauthentik.io/start?rd=x', '/outpost.goauthentik.io/../admin']) {
    expect(await arrivalOf(request('authentik.test', { path }))).toBeUndefined();
  }
  const answer = await caddy.get('authentik.test', '/outpost.goauthentik.io/start');
  expect(bodyOf(answer)).toBe('the service itself');
});

test('a header name is removed in all spellings, a long one by its beginning', () => {
  expect(spellings('User')).toEqual(['User']);
  expect(spellings('X-User')).toEqual(['X-User', 'X_User', 'X.User']);
  expect(spellings('X-Auth-User')).toHaveLength(9);
  expect(spellings('X-Auth-Request-User')).toContain('X_Auth-Request*');
});
