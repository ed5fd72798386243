import { expect, test } from 'bun:test';
import { AdminUnreachable } from '../../../agent/caddy/admin.ts';
import { createAuthorities } from '../../../agent/sites/authorities.ts';
import type { Json } from '../../../src/shared/json.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const KEY = PEM.replaceAll('CERTIFICATE', 'EC PRIVATE KEY');

/** A stand-in for the admin endpoint, which no real Caddy makes answer with a key. */
function begin(config: Json, root: unknown = PEM) {
  let asked = 0;
  const never = () => Promise.reject(new AdminUnreachable('no answer'));
  const admin = {
    adapt: never,
    config: async () => JSON.stringify(config),
    async authority() {
      asked++;
      return JSON.stringify({ root_certificate: root, intermediate_certificate: PEM });
    },
  };
  const authorities = createAuthorities(admin, { adapt: never, dnsProviders: async () => [] });
  return { authorities, asked: () => asked };
}

const serving = (name: string, issuer: Json) => ({
  apps: {
    http: { servers: { a: { listen: [':443'], routes: [{ match: [{ host: [name] }] }] } } },
    tls: { automation: { policies: [{ subjects: [name], issuers: [issuer] }] } },
  },
});
const INTERNAL = serving('a.lan', { module: 'internal' });

test.each<[string, Json]>([
  ['nothing is live', null],
  ['another authority signs', serving('a.example', { module: 'acme' })],
  ['Caddy cannot be asked who signs', serving('a.lan', null)],
])('Caddy is not asked for its root if %s', async (_, config) => {
  const { authorities, asked } = begin(config);
  expect([await authorities.root(), asked()]).toEqual([null, 0]);
});

test.each([[KEY], [PEM + KEY], [`${PEM}x`], [''], [7], [null]])(
  'what is not one certificate is not passed on: %j',
  async (root) => {
    expect(await begin(INTERNAL, root).authorities.root()).toBeNull();
  },
);

test('a proxy that does not answer is said to', async () => {
  const { authorities } = begin('no JSON');
  const failing = createAuthorities(
    {
      adapt: () => Promise.reject(new Error('unused')),
      config: () => Promise.reject(new AdminUnreachable('no answer')),
      authority: () => Promise.reject(new Error('unused')),
    },
    { adapt: async () => ({}), dnsProviders: async () => [] },
  );
  await expect(failing.root()).rejects.toMatchObject({ code: 'PROXY_UNREACHABLE' });
  expect(await authorities.root()).toBeNull();
});

test('the root is asked for if Caddy signs, or is set up to', async () => {
  expect(await begin(INTERNAL).authorities.root()).toBe(PEM);
  expect(await begin({ apps: { pki: {} } }).authorities.root()).toBe(PEM);
});
