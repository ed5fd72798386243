import { describe, expect, test } from 'bun:test';
import { type AdviceFacts, adviceOf, explainAcme } from '../../../src/hub/watch/sites/advice.ts';
import { certificateWarnings } from '../../../src/hub/watch/sites/state.ts';
import { isInternalName, isPrivateAddress } from '../../../src/shared/internal-names.ts';

const facts = (name: string, more: Partial<AdviceFacts> = {}): AdviceFacts => ({
  name,
  authority: 'public',
  dns: false,
  certified: false,
  ports: { http: 80, https: 443 },
  refusal: null,
  ...more,
});
const REFUSED = '[app.example.org] HTTP 429 urn:ietf:params:acme:error:rateLimited - too many';
const OTHER_PORTS = { ports: { http: 8080, https: 8443 } };

describe('nothing is said against a certificate', () => {
  test.each<[string, Partial<AdviceFacts>]>([
    ['app.example.org', {}],
    ['93.184.216.34', {}],
    ['fritz.box', {}],
    ['lan.example.org', {}],
    ['*.example.org', { dns: true }],
    // Whoever else signs, or has signed, has its own rules.
    ['nas.lan', { authority: 'internal' }],
    ['nas.lan', { authority: 'other' }],
    ['nas.lan', { authority: null }],
    ['nas.lan', { certified: true }],
    ['*.example.org', { certified: true }],
    ['nas.lan', { authority: 'internal', refusal: REFUSED }],
    ['app.example.org', { authority: null, refusal: REFUSED }],
    // One of the two ports is enough, and the DNS needs none.
    ['app.example.org', { ports: { http: 80, https: 8443 } }],
    ['app.example.org', { ports: { http: 8080, https: 443 } }],
    ['app.example.org', { ...OTHER_PORTS, dns: true }],
    ['app.example.org', { ...OTHER_PORTS, certified: true }],
    ['nas.lan', { ...OTHER_PORTS, authority: 'internal' }],
  ])('for %s, %j', (name, more) => {
    expect(adviceOf(facts(name, more))).toBeNull();
  });
});

test.each<[string, string, string[], Partial<AdviceFacts>]>([
  ['nas', 'INTERNAL_NAME', ['internal', 'http'], {}],
  ['nas.lan', 'INTERNAL_NAME', ['internal', 'http'], {}],
  ['nas.local', 'INTERNAL_NAME', ['internal', 'http'], {}],
  ['a.b.internal', 'INTERNAL_NAME', ['internal', 'http'], {}],
  ['nas.home.arpa', 'INTERNAL_NAME', ['internal', 'http'], {}],
  ['app.localhost', 'INTERNAL_NAME', ['internal', 'http'], {}],
  ['*.lan', 'INTERNAL_NAME', ['internal', 'http'], {}],
  ['nas.lan', 'INTERNAL_NAME', ['internal', 'http'], { refusal: REFUSED }],
  ['192.168.1.5', 'PRIVATE_ADDRESS', ['internal', 'http'], {}],
  ['127.0.0.1', 'PRIVATE_ADDRESS', ['internal', 'http'], {}],
  ['fd00::1', 'PRIVATE_ADDRESS', ['internal', 'http'], {}],
  ['*.example.org', 'WILDCARD', ['dns', 'internal'], {}],
  ['app.example.org', 'PORT', ['dns', 'internal', 'http'], OTHER_PORTS],
  ['app.example.org', 'ACME', ['internal'], { refusal: REFUSED }],
  ['app.example.org', 'ACME', ['internal'], { refusal: REFUSED, certified: true }],
  ['nas.lan', 'ACME', ['internal'], { refusal: REFUSED, authority: 'other' }],
  ['app.example.org', 'ACME', ['internal'], { refusal: REFUSED, ...OTHER_PORTS }],
])('for %s the advice is %s: %j', (name, code, ways, more) => {
  expect(adviceOf(facts(name, more))).toEqual({
    code,
    message: expect.stringMatching(/^[A-Z].*\.$/),
    ways,
  } as never);
});

/** As Caddy logs them. */
test.each([
  ['another reason', /^The authority refused: another reason$/],
  [REFUSED, /limit of certificates/],
  [
    'HTTP 403 urn:ietf:params:acme:error:caa - CAA record for a.org prevents issuance',
    /CAA record/,
  ],
  [
    '[*.a.org] solving challenges: *.a.org: no solvers available for remaining challenges (configured=[http-01 tls-alpn-01] offered=[dns-01] remaining=[dns-01])',
    /only accepts the DNS challenge/,
  ],
  [
    'HTTP 400 urn:ietf:params:acme:error:rejectedIdentifier - Cannot issue for "nas.lan": Domain name does not end with a valid public suffix (TLD)',
    /does not sign/,
  ],
  [
    'authorization failed: HTTP 400 urn:ietf:params:acme:error:connection - 10.0.0.1: Fetching http://a.org/: IP address is in a reserved address block',
    /private address/,
  ],
  [
    'registering account [] with server: provisioning client: performing request: Get "https://acme-v02.api.letsencrypt.org/directory": dial tcp: lookup acme-v02.api.letsencrypt.org: no such host',
    /cannot reach the authority/,
  ],
  [
    'authorization failed: HTTP 400 urn:ietf:params:acme:error:dns - DNS problem: NXDOMAIN looking up A for a.org',
    /public DNS/,
  ],
  [
    'HTTP 400 urn:ietf:params:acme:error:connection - 192.0.2.1: Fetching http://a.org/.well-known/acme-challenge/x: Connection refused',
    /port 80 or 443 of the name was refused/,
  ],
  [
    'HTTP 400 urn:ietf:params:acme:error:connection - 192.0.2.1: Fetching http://a.org/: Timeout during connect (likely firewall problem)',
    /got no answer/,
  ],
  [
    'HTTP 403 urn:ietf:params:acme:error:unauthorized - 192.0.2.1: Invalid response from http://a.org/.well-known/acme-challenge/x: 404',
    /Another server/,
  ],
])('“%s” is explained', (words, message) => {
  expect(explainAcme(words).message).toMatch(message);
});

test('a long refusal is cut', () => {
  expect(explainAcme('x'.repeat(1_000)).message.length).toBeLessThan(250);
});

test('what is no name or no private address', () => {
  for (const name of ['', '10.0.0.1', '::1', 'a.org', 'lan.org', 'arpa.org', 'example.com'])
    expect([name, isInternalName(name)]).toEqual([name, false]);
  for (const name of ['', 'nas.lan', '8.8.8.8', '172.32.0.1', '2606:4700::1111', '10.0.0'])
    expect([name, isPrivateAddress(name)]).toEqual([name, false]);
});

describe('warnings', () => {
  const address = (name: string, more: object) =>
    ({ name, tls: true, certificate: null, authority: 'public', advice: null, ...more }) as never;
  const advice = { code: 'INTERNAL_NAME', message: 'None can come.', ways: [] };

  test('are not given for plain HTTP, for what is not known yet, and for what is as it should be', () => {
    const fine = [
      address('a.org', {}),
      address('a.org', { certificate: {} }),
      address('plain.lan', { tls: false, authority: null }),
      address('', { authority: 'internal' }),
      address('own.lan', { authority: 'internal', certificate: {} }),
      address('new.lan', { authority: 'internal' }),
    ];
    expect(certificateWarnings(fine)).toEqual([]);
  });

  test('name what a visitor notices', () => {
    expect(certificateWarnings([address('nas.lan', { advice })])).toEqual([
      { code: 'NO_CERTIFICATE', message: 'nas.lan has no certificate: None can come.' },
    ]);
  });
});
