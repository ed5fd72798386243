/** What is known of a site's certificate: by the advice that the lists of certificates and sites give as well. */
import { expect, test } from 'bun:test';
import { certificateFacts } from '../../../src/features/explain/facts.ts';
import { adviceOf } from '../../../src/hub/watch/sites/advice.ts';
import type { SiteState } from '../../../src/shared/wire/sites.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const PORTS = { http: 80, https: 443 };
const state = (change: Partial<SiteState>): SiteState => ({
  name: 'app.mine.dev',
  ports: [443],
  tls: true,
  certificate: null,
  reason: 'Caddy has none yet.',
  checkedAt: '2026-11-20T11:59:00Z',
  automated: true,
  authority: 'public',
  dns: false,
  upstreams: [],
  errors: [],
  ...change,
});
const refusedWith = (message: string): Partial<SiteState> => ({
  errors: [{ kind: 'acme', at: '2026-11-20T11:59:30Z', message, standing: true } as never],
});

test.each<[string, Partial<SiteState>, string | null]>([
  ['pending', {}, null],
  ['unknown', { reason: null, checkedAt: null }, null],
  ['unknown', { name: 'nas.lan', reason: null, checkedAt: null }, null],
  ['refused', { name: 'nas.lan' }, null],
  ['refused', { name: '*.mine.dev' }, null],
  ['refused', refusedWith('urn:ietf:params:acme:error:caa'), 'urn:ietf:params:acme:error:caa'],
  [
    'pending',
    refusedWith('performing request: dial tcp: lookup'),
    'performing request: dial tcp: lookup',
  ],
  ['unknown', { authority: 'internal' }, null],
])('%s: %o', (known, change, refusal) => {
  const site = state(change);
  const facts = certificateFacts(site, PORTS, NOW);
  expect(facts.state).toBe(known as never);
  const { name, authority, dns } = site;
  const advice = adviceOf({ name, authority, dns, certified: false, ports: PORTS, refusal });
  if (advice && known !== 'unknown') expect(facts.words).toBe(advice.message);
});

test('ports that no authority checks are a reason to wait', () => {
  const facts = certificateFacts(state({}), { http: 8080, https: 8443 }, NOW);
  expect(facts).toEqual({ state: 'pending', words: expect.stringContaining('8080 and 8443') });
});
