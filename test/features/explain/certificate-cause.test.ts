/** Why a certificate is missing or expired, if that is certain. */
import { expect, test } from 'bun:test';
import { certificateCause } from '../../../src/features/explain/facts.ts';
import type { SiteState } from '../../../src/shared/wire/sites.ts';

const AT = '2026-11-20T18:00:00.000Z';
const OVER = { notAfter: '2026-11-19T18:00:00.000Z' } as SiteState['certificate'];
const VALID = { notAfter: '2026-11-21T18:00:00.000Z' } as SiteState['certificate'];
const refused = (message: string, standing = true): Partial<SiteState> => ({
  errors: [{ kind: 'acme', at: AT, message, standing }],
});
const UPSTREAM = { kind: 'upstream', at: AT, message: 'EOF', standing: true } as const;
const UNREACHED = 'provisioning client: performing request: dial tcp 192.0.2.1:443: i/o timeout';
const LIMIT = 'HTTP 429 urn:ietf:params:acme:error:rateLimited - too many certificates';

test.each<[string, Partial<SiteState>, string | null]>([
  ['nothing is known', {}, null],
  ['an authority that was not reached', refused(UNREACHED), null],
  ['a refusal that is over', refused(LIMIT, false), null],
  ['an error of the upstream', { errors: [UPSTREAM] }, null],
  ['an expired one that Caddy renews', { certificate: OVER, automated: true }, null],
  ['one that is valid', { certificate: VALID }, null],
  ['an expired one that nobody renews', { certificate: OVER }, 'CERTIFICATE_EXPIRED'],
  ['a refusal', refused(LIMIT), 'CERTIFICATE_REFUSED'],
  [
    'a renewal that is refused',
    { certificate: OVER, automated: true, ...refused(LIMIT) },
    'CERTIFICATE_REFUSED',
  ],
])('%s', (_, change, cause) => {
  const state = { certificate: null, automated: false, errors: [], ...change } as never;
  expect(certificateCause(state, Date.parse(AT))).toBe(cause as never);
});
