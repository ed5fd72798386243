/** Which cause is named for what was found, and when none is. */
import { describe, expect, test } from 'bun:test';
import { CAUSES } from '../../../src/features/explain/causes.ts';
import type { Facts } from '../../../src/features/explain/facts.ts';
import { forViewers } from '../../../src/features/explain/for-viewers.ts';
import { judge } from '../../../src/features/explain/judge.ts';
import type { UpstreamFinding } from '../../../src/features/explain/wire.ts';
import { CAUSE_WORDS, STEPS, wordsOfCause } from '../../../src/features/explain/words.ts';
import { askedOf, caddysError, facts, upstreamFinding } from './facts.ts';

const CERTIFICATE = {
  issuer: 'nas',
  names: ['nas'],
  notAfter: '2026-11-19T12:00:00.000Z',
  trusted: false,
};
const one = (change: Partial<UpstreamFinding>, more: Partial<Facts> = {}): Partial<Facts> => ({
  upstreams: [upstreamFinding(change)],
  asked: caddysError('an error'),
  ...more,
});
const refused = (app: string | null, plain: number, named: number): Partial<Facts> => ({
  asked: askedOf({ status: 400, app }),
  direct: { plain, named },
});

const FAILS: [cause: string, found: Partial<Facts>, words: RegExp][] = [
  ['NAME_UNKNOWN', { name: { state: 'none', addresses: [] } }, /no address of app\.mine\.dev/],
  ['NAME_ELSEWHERE', { name: { state: 'private', addresses: ['10.0.0.9'] } }, /10\.0\.0\.9/],
  ['NAME_ELSEWHERE', { name: { state: 'loopback', addresses: ['127.0.0.1'] } }, /127\.0\.0\.1/],
  ['PORT_HELD', { listener: { state: 'held', reason: 'held by nginx (process 9)' } }, /nginx/],
  ['PORT_CLOSED', { listener: { state: 'closed', reason: null } }, /443/],
  ['CERTIFICATE_EXPIRED', { certificate: { state: 'expired', words: 'Expired.' } }, /Expired/],
  ['CERTIFICATE_REFUSED', { certificate: { state: 'refused', words: 'CAA.' } }, /CAA/],
  ['CERTIFICATE_PENDING', { certificate: { state: 'pending', words: 'Soon.' } }, /yet/],
  ['SIGN_IN_DOWN', { upstreams: [upstreamFinding({ signIn: true, connects: 'refused' })] }, /8096/],
  ['SIGN_IN_DOWN', { asked: askedOf({ status: 500, bySignIn: true }) }, /500/],
  ['SIGN_IN_DOWN', { asked: askedOf({ bySignIn: true, portal: 'down' }) }, /page/],
  ['SIGN_IN_LOOP', { asked: askedOf({ bySignIn: true, portal: 'loop', location: '/x' }) }, /again/],
  ['SIGN_IN_LOOP', { asked: askedOf({ bySignIn: true, leads: 'loop', location: '/x' }) }, /again/],
  ['SHUT_OUT', { policies: ['lan'], asked: askedOf({ status: 403, by: null }) }, /lan/],
  [
    'SHUT_OUT',
    { byAddress: true, asked: askedOf({ status: null, by: null, landed: null, fault: 'closed' }) },
    /closes/,
  ],
  ['UPSTREAM_ITSELF', one({ own: 'loop' }), /itself/],
  ['UPSTREAM_NAME', one({ address: 'plex:80', connects: 'name' }), /container/],
  ['UPSTREAM_NAME', one({ address: 'plex.lan:80', connects: 'name' }), /plex\.lan\.$/],
  ['UPSTREAM_REFUSED', one({ connects: 'refused' }), /refused/],
  ['UPSTREAM_REFUSED', one({ connects: 'refused', loopback: true }), /refused/],
  [
    'UPSTREAM_REFUSED',
    one({ connects: 'refused', loopback: true, instead: '[::1]:1' }, { alone: true }),
    /\[::1\]/,
  ],
  [
    'UPSTREAM_LOCALHOST',
    one({ connects: 'refused', loopback: true }, { alone: true }),
    /container/,
  ],
  ['UPSTREAM_TIMEOUT', one({ connects: 'late' }), /5 s/],
  [
    'UPSTREAM_TIMEOUT',
    {
      ...one({ connects: 'refused' }),
      asked: caddysError('dial tcp 192.168.1.5:8096: connect: no route to host'),
    },
    /no way/,
  ],
  ['SPEAKS_TLS', one({ speaks: 'tls', certificate: CERTIFICATE }), /nas/],
  ['SPEAKS_PLAIN', one({ speaks: 'plain', wanted: 'https' }), /HTTPS/],
  [
    'UPSTREAM_UNTRUSTED',
    { ...one({ wanted: 'https', certificate: CERTIFICATE }), asked: caddysError('x509: expired') },
    /it expired on 2026-11-19/,
  ],
  ['NOT_HTTP', one({ speaks: 'other', banner: 'SSH-2.0-OpenSSH_9.2' }), /SSH.*“SSH-2/],
  ['NOT_HTTP', one({ speaks: 'other' }), /not HTTP/],
  ['SPEAKS_H2', one({ speaks: 'h2' }), /HTTP\/2/],
  ['CLOSES', one({ speaks: 'closes' }), /closes/],
  ['HANGS', one({ speaks: 'hangs' }, { asked: null }), /twice/],
  ['REDIRECT_LOOP', { asked: askedOf({ status: 302, leads: 'loop', location: '/' }) }, /itself/],
  [
    'REDIRECT_ELSEWHERE',
    { asked: askedOf({ status: 302, leads: 'upstream', location: 'http://192.168.1.5:8096/' }) },
    /8096/,
  ],
  ['PROXY_NOT_TRUSTED', refused('Home Assistant', 200, 200), /Home Assistant/],
  ['HOST_REFUSED', refused('Nextcloud', 200, 400), /Nextcloud/],
  ['HOST_REFUSED', refused(null, 401, 400), /The service/],
  ['HOST_REFUSED', refused('Django', 400, 400), /Django/],
  ['TOO_LARGE', { asked: askedOf({ status: 413 }) }, /413/],
  ['TOO_LARGE', one({ speaks: 'large' }), /64 KiB/],
  ['WEBSOCKET_REFUSED', { websocket: { here: 403, direct: 101 } }, /403/],
  [
    'WEBSOCKET_REFUSED',
    { asked: askedOf({ status: 426 }), websocket: { here: 400, direct: 400 } },
    /400/,
  ],
  ['UPSTREAM_ERROR', { asked: askedOf({ status: 503 }) }, /503/],
];

test.each(FAILS)('%s', (cause, found, words) => {
  const { explanation } = judge(facts(found));
  expect([explanation.verdict, explanation.cause]).toEqual(['fails', cause as never]);
  expect(explanation.words).toMatch(words);
  expect(explanation.step).toBe(wordsOfCause(cause)?.step ?? null);
  expect(explanation.steps.find(({ ok }) => ok === false)?.step).toBe(
    explanation.step ?? undefined,
  );
});

test('every cause is in the table, and all but one of them were found above', () => {
  const codes = CAUSES.map(({ code }) => code);
  expect(codes).toEqual(Object.keys(CAUSE_WORDS) as never);
  const missing = codes.filter((code) => !FAILS.some(([cause]) => cause === code));
  expect(missing).toEqual(['CERTIFICATE_UNTRUSTED']);
});

test('the table is in the order of a request', () => {
  const order = CAUSES.map(({ code }) => STEPS.indexOf(CAUSE_WORDS[code].step));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

describe('what works', () => {
  test.each<[string, Partial<Facts>]>([
    ['200', {}],
    ['401 of the service', { asked: askedOf({ status: 401 }) }],
    ['401 of Caddy', { asked: askedOf({ status: 401, by: null }), policies: ['password'] }],
    ['403 of the service', { asked: askedOf({ status: 403 }), direct: { plain: 403, named: 403 } }],
    [
      '200 for another network than this machine’s',
      { policies: ['vpn'], asked: askedOf({ from: '10.77.0.0/16' }) },
    ],
    ['404', { asked: askedOf({ status: 404 }) }],
    ['4.9 s', { asked: askedOf({ ms: 4_900 }) }],
    ['a redirect', { asked: askedOf({ status: 302, leads: 'follows', location: '/login' }) }],
    [
      'a redirect to somebody else',
      { asked: askedOf({ status: 302, leads: 'away', location: 'https://x.dev' }) },
    ],
    [
      'another site of Caddy',
      { upstreams: [upstreamFinding({ own: 'site', connects: 'unknown', speaks: 'unknown' })] },
    ],
    ['no upstream', { upstreams: [], asked: askedOf({ by: null }) }],
    [
      '403 of a site without upstream or policy',
      { upstreams: [], asked: askedOf({ status: 403, by: null }) },
    ],
    ['an unknown name, with visitors', { name: { state: 'none', addresses: [] }, visited: true }],
    ['a resolver that is silent', { name: { state: 'silent', addresses: [] } }],
    ['a name that is not looked up', { name: { state: 'skipped', addresses: [] } }],
    ['a public address', { name: { state: 'public', addresses: ['203.0.113.7'] } }],
    [
      'a private address, seen from a container',
      { name: { state: 'private', addresses: ['10.0.0.9'] }, container: true },
    ],
    [
      'a private address, with other proxies',
      { name: { state: 'private', addresses: ['10.0.0.9'] }, hasOthers: true },
    ],
    [
      'a certificate of Caddy’s own for a private name',
      { host: 'nas.lan', certificate: { state: 'own', words: '' } },
    ],
    [
      'a certificate of Caddy’s own, with visitors',
      { visited: true, certificate: { state: 'own', words: '' } },
    ],
    ['plain HTTP', { tls: false, certificate: { state: 'plain', words: '' } }],
    ['a websocket', { asked: askedOf({ status: 426 }), websocket: { here: 101, direct: null } }],
  ])('%s', (_, found) => {
    const { explanation } = judge(facts(found));
    expect([explanation.verdict, explanation.cause, explanation.cure]).toEqual([
      'works',
      null,
      null,
    ]);
    expect(explanation.steps.map(({ ok }) => ok)).not.toContain(false);
  });
});

test.each(['refused', 'late', 'name'] as const)(
  'an upstream that answered the site, by another address of its name, has no cause: %s',
  (connects) => {
    const { explanation } = judge(facts({ upstreams: [upstreamFinding({ connects })] }));
    expect([explanation.verdict, explanation.cause]).toEqual(['works', null]);
  },
);

describe('is not sure', () => {
  test('with a placeholder or an upstream that Caddy looks up', () => {
    const upstreams = [upstreamFinding({ unknown: 'The address depends on a placeholder.' })];
    expect(judge(facts({ upstreams })).explanation.verdict).toBe('unsure');
  });

  test('with one of several upstreams that fails while Caddy goes to another', () => {
    const down = upstreamFinding({ address: 'a:1', connects: 'refused', spared: true });
    const { explanation } = judge(facts({ upstreams: [down, upstreamFinding()] }));
    expect([explanation.verdict, explanation.cause]).toEqual(['unsure', 'UPSTREAM_REFUSED']);
  });

  test('with two causes that fit, both in the words, and names none', () => {
    const asked = askedOf({ status: 302, leads: 'unserved', location: 'https://app.mine.dev/' });
    const { explanation, causes } = judge(facts({ tls: false, port: 80, asked }));
    expect([explanation.verdict, explanation.cause, explanation.cure]).toEqual([
      'unsure',
      null,
      null,
    ]);
    expect(causes).toEqual(['REDIRECT_LOOP', 'REDIRECT_ELSEWHERE']);
    expect(explanation.words).toMatch(/leads back to itself.*Or: .*do not reach/s);
  });

  test.each<[string, Partial<Facts>, RegExp]>([
    ['without such a site', { served: false, asked: null }, /does not serve/],
    [
      'with an error of Caddy’s that no cause explains',
      { asked: caddysError('strange') },
      /strange/,
    ],
    ['without an answer', { asked: askedOf({ status: null, landed: null, fault: 'late' }) }, /5 s/],
    ['with 400', { asked: askedOf({ status: 400 }) }, /400/],
    [
      'with a certificate of Caddy’s own for a public name',
      { certificate: { state: 'own', words: '' } },
      /browsers warn/,
    ],
  ])('%s', (_, found, words) => {
    const { explanation } = judge(facts(found));
    expect(explanation.verdict).toBe('unsure');
    expect(explanation.words).toMatch(words);
  });
});

test('one of several upstreams that fails is named, whatever the others answer', () => {
  const down = upstreamFinding({ address: 'b:1', connects: 'refused' });
  const { explanation } = judge(facts({ upstreams: [upstreamFinding(), down] }));
  expect([explanation.verdict, explanation.cause]).toEqual(['fails', 'UPSTREAM_REFUSED']);
  expect(explanation.words).toContain('b:1');
});

test('the first step that fails is the cause', () => {
  const name = { state: 'none', addresses: [] } as const;
  const { explanation } = judge(
    facts({ ...one({ connects: 'refused' }), name: { ...name, addresses: [] } }),
  );
  expect(explanation.cause).toBe('NAME_UNKNOWN');
});

test('what a service says does not deceive those who read it', () => {
  const issuer = 'nas\u202egnp.\u001b[2J\n';
  const found = one({ speaks: 'tls', certificate: { ...CERTIFICATE, issuer } });
  const { words, steps } = judge(facts(found)).explanation;
  for (const text of [words, ...steps.map((step) => step.words)]) {
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
  expect(words).toContain('nas\\u202egnp');
});

test('a query is not repeated', () => {
  const { explanation } = judge(
    facts({ path: '/a?token=secret', asked: askedOf({ status: 500 }) }),
  );
  expect(JSON.stringify(explanation)).not.toContain('secret');
});

test('viewers get no address, port, banner or name of a program, whatever is found', () => {
  const secret =
    /192\.168|8096|443|SSH|OpenSSH|nginx|10\.0\.0\.9|127\.0\.0\.1|plex|nas\b|Home Assistant/;
  for (const [, found] of FAILS) {
    const { asked, ...shown } = forViewers(judge(facts(found)));
    const { cure, ...rest } = shown;
    expect(JSON.stringify(rest)).not.toMatch(secret);
    expect(cure?.operation ?? null).toBeNull();
    expect(asked?.location ?? null).toBeNull();
  }
});
