/** A certificate that may still come, and what a proxy that refuses what is stored serves. */
import { expect, test } from 'bun:test';
import { EMPTY_SET, type SiteSet } from '../../../src/hub/model/vhost.ts';
import { missingCertificates } from '../../../src/hub/watch/problems/sites.ts';
import { statesOf } from '../../../src/hub/watch/sites/state.ts';
import type { SiteState } from '../../../src/shared/wire/sites.ts';
import { siteState } from '../../harness/facts.ts';
import { storedVhost } from '../../harness/vhost.ts';

const CHANGED = new Date('2026-11-20T18:00:00.000Z');
const vhost = storedVhost({ domain: 'app.example.org', updatedAt: CHANGED });
const set: SiteSet = { ...EMPTY_SET, vhosts: [vhost] };
const bare = siteState({
  name: 'app.example.org',
  ports: [443],
  tls: true,
  checkedAt: CHANGED.toISOString(),
  automated: true,
  authority: 'public',
});
const refusal = {
  kind: 'acme',
  name: 'app.example.org',
  at: CHANGED.toISOString(),
  message: 'no',
  standing: true,
} as unknown as SiteState['errors'][number];

function stateAfter(seconds: number, site: Partial<SiteState> = {}, reason: string | null = null) {
  const now = new Date(CHANGED.getTime() + seconds * 1_000);
  const sites = reason === null ? [{ ...bare, ...site }] : [];
  return statesOf(set, sites, [], () => null, now, reason)(vhost);
}

test('a site without a certificate is being checked for two minutes, and then a problem', () => {
  const missing = (...of: Parameters<typeof stateAfter>) => {
    const state = stateAfter(...of);
    return [state.checking, missingCertificates([state]).length];
  };
  expect(missing(5)).toEqual([true, 0]);
  expect(missing(119)).toEqual([true, 0]);
  expect(missing(121)).toEqual([undefined, 1]);
  expect(missing(5, { errors: [refusal] })).toEqual([undefined, 1]);
  // Nobody asks for one.
  expect(missing(5, { automated: false })).toEqual([undefined, 1]);
  // The clock was set back.
  expect(missing(-5)).toEqual([undefined, 1]);
});

test('a proxy that refuses what is stored says so of each site that it does not serve', () => {
  expect(stateAfter(5, {}, 'preamble, line 2: no')).toMatchObject({
    problem: 'Caddy refuses what is stored: preamble, line 2: no',
    warnings: [{ code: 'NOT_SERVED' }],
  });
  expect(stateAfter(5, {}, 'no').checking).toBeUndefined();
});
