/** What follows from the states of several agents, made up here: no authority can be provoked to refuse one. */
import { describe, expect, test } from 'bun:test';
import { worstState } from '../../../src/hub/watch/sites/several.ts';
import type { VhostState } from '../../../src/hub/watch/sites/view.ts';
import { addressState, CERTIFICATE, MOMENT, vhostState } from '../../harness/facts.ts';
import { storedVhost } from '../../harness/vhost.ts';

const vhost = storedVhost({ domain: 'app.example' });
type Address = VhostState['addresses'][number];
const address = addressState;
const bare = (change: Partial<Address> = {}) => address({ certificate: null, ...change });
const state = (change: Partial<VhostState> = {}) =>
  vhostState({ addresses: [address()], ...change });
const worst = (local: Partial<VhostState>, twin: Partial<VhostState>, missing: string[] = []) =>
  worstState(
    vhost,
    [
      { name: 'local', state: state(local) },
      { name: 'twin', state: state(twin) },
    ],
    missing,
  );
const error = (at: string) => ({ name: 'app.example', at, message: at, standing: true });
const upstream = (up: boolean) => ({
  address: '127.0.0.1:8000',
  up,
  since: null,
  lastChecked: null,
  latencyMs: null,
  unknown: null,
  requests: 0,
  fails: 0,
  error: null,
});

test('a site that fails at one of them, with whose explanation says so', () => {
  const failing = { since: MOMENT, cause: 'SPEAKS_TLS', words: 'It is HTTPS.' };
  const found = worst({}, { failing });
  expect(found.failing).toEqual({ ...failing, words: 'twin: It is HTTPS.' });
  expect(found.agents?.map((one) => one.failing)).toEqual([undefined, failing]);
  expect(worst({}, {}).failing).toBeUndefined();
});

describe('no advice to share certificates', () => {
  test.each<[string, Address, Address]>([
    ['if both have one', address(), address()],
    ['if neither has one', bare(), bare()],
    ['before a handshake', address(), bare({ checkedAt: null })],
    ['if Caddy’s own authority signs it', address(), bare({ authority: 'internal' })],
    ['if Caddy’s own authority signed the other', address({ authority: 'internal' }), bare()],
    ['for another name', address({ name: 'b.example' }), bare()],
  ])('%s', (_, local, twin) => {
    const { agents, warnings } = worst({ addresses: [local] }, { addresses: [twin] });
    expect(agents?.flatMap(({ addresses }) => addresses.map(({ advice }) => advice))).toEqual([
      null,
      null,
    ]);
    expect(warnings.filter(({ code }) => code === 'NO_CERTIFICATE')).toEqual([]);
  });
});

test('a name with a certificate on one of them only is a warning that says why', () => {
  const refused = { code: 'ACME' as const, message: 'The authority got no answer.', ways: [] };
  const found = worst({}, { addresses: [bare({ advice: refused })] });
  const [warning, ...others] = found.warnings;
  expect([warning?.code, others]).toEqual(['NO_CERTIFICATE', []]);
  expect(warning?.message).toMatch(
    /^twin: app\.example has no certificate: The authority got no answer\. local has a certificate for app\.example: if .* share an address, .*DNS challenge.*PROXY_STORAGE/,
  );
  expect(found.addresses).toMatchObject([{ certificate: null, advice: { code: 'MIRRORED' } }]);
  expect(found.agents?.map(({ addresses }) => addresses[0]?.advice?.code)).toEqual([
    undefined,
    'MIRRORED',
  ]);
});

test('each address is as the agent says that serves it worst', () => {
  const early = { ...CERTIFICATE, notAfter: '2026-11-25T00:00:00.000Z' };
  const of = (local: Address, twin: Address) =>
    worst({ addresses: [local] }, { addresses: [twin] }).addresses;
  expect(of(address(), address({ served: false }))).toMatchObject([{ served: false }]);
  expect(of(address(), address({ certificate: early }))).toMatchObject([{ certificate: early }]);
  expect(of(address({ certificate: early }), bare())).toMatchObject([{ certificate: null }]);
  expect(of(address(), bare({ checkedAt: null }))).toMatchObject([{ certificate: CERTIFICATE }]);
  expect(of(address(), address({ port: 8443 })).map(({ port }) => port)).toEqual([443, 8443]);
});

test('the rest is the worst as well, and says whose it is', () => {
  const found = worst(
    { problem: ':443 is not open', upstreams: [upstream(true)] },
    {
      problem: ':443 is not open',
      upstreams: [upstream(false)],
      errors: { acme: error(MOMENT), upstream: null },
    },
    ['vps'],
  );
  expect(found).toMatchObject({
    problem: 'local and twin: :443 is not open',
    missing: ['vps'],
    upstreams: [{ up: false }],
    warnings: [
      { code: 'NOT_SERVED', message: 'local and twin: :443 is not open' },
      { code: 'UPSTREAM_DOWN', message: 'twin: 127.0.0.1:8000 does not answer' },
    ],
    errors: { acme: error(MOMENT), upstream: null },
  });
  expect(worst({}, {}).problem).toBeNull();
  expect('missing' in worst({}, {})).toBe(false);
  const errors = (at: string) => ({ errors: { acme: error(at), upstream: null } });
  expect(worst(errors(MOMENT), errors('2026-11-20T17:00:00.000Z')).errors.acme?.at).toBe(MOMENT);
});

test('it is being checked as long as one of them has not looked at it', () => {
  expect(worst({}, {}).checking).toBeUndefined();
  expect(worst({}, { checking: true }).checking).toBe(true);
});

test('it is down on those that do not serve it, by name, and on those that nobody can ask', () => {
  const elsewhere = { addresses: [address({ served: false })] };
  const of = (isBehind: boolean, change: Partial<VhostState>, of = vhost) =>
    worstState(of, [{ name: 'twin', isBehind, state: state(change) }], []).downOn;
  expect(of(false, {})).toBeUndefined();
  // It was just published: the agent has not looked at its proxy yet.
  expect(of(false, elsewhere)).toBeUndefined();
  expect(of(true, {})).toBeUndefined();
  expect(of(true, elsewhere)).toEqual(['twin']);
  expect(of(false, { problem: 'refused' })).toEqual(['twin']);
  expect(of(false, { problem: 'refused' }, { ...vhost, enabled: false })).toBeUndefined();
  expect(worst({}, { problem: ':443 is not open' }, ['vps']).downOn).toEqual(['twin', 'vps']);
});

test('what others serve stays, with links and certificates, beside a proxy that refuses what is stored', () => {
  const refused = { problem: 'Caddy refuses what is stored: no' };
  const found = worst(
    { upstreams: [upstream(true)] },
    { ...refused, addresses: [bare({ served: false, tls: false, checkedAt: null })] },
  );
  expect(found).toMatchObject({
    problem: 'twin: Caddy refuses what is stored: no',
    downOn: ['twin'],
    addresses: [{ served: true, certificate: CERTIFICATE }],
    upstreams: [{ up: true }],
  });
  expect(found.checking).toBeUndefined();
  const alone = worstState(
    vhost,
    [{ name: 'twin', state: state({ ...refused, addresses: [bare({ served: false })] }) }],
    [],
  );
  expect(alone.addresses).toMatchObject([{ served: false }]);
});

test('nothing is said of a vhost whose agents cannot be asked', () => {
  expect(worstState(vhost, [], ['twin'])).toMatchObject({
    problem: null,
    addresses: [],
    upstreams: [],
    warnings: [],
    missing: ['twin'],
  });
});
