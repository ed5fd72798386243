/** How a kept certificate is, in the dashboard's words. */
import { describe, expect, test } from 'bun:test';
import type { KeptCertificateView } from '../../../../src/features/certificates/view.ts';
import { keptState } from '../../../../src/features/certificates/web/kept-state.ts';

describe('a certificate that the hub keeps', () => {
  const now = new Date('2026-12-01T00:00:00.000Z');
  const kept = (more: Partial<KeptCertificateView>): KeptCertificateView => ({
    id: 1,
    name: 'home',
    names: ['*.home.example'],
    issuer: 'R11',
    serial: '1',
    sites: [1],
    notBefore: '2026-09-06T00:00:00.000Z',
    notAfter: '2026-12-05T12:00:00.000Z',
    source: 'upload',
    createdAt: '',
    updatedAt: '',
    ...more,
  });

  test.each([
    [{ notAfter: '2026-11-30T23:59:59.000Z' }, 'bad', 'expired'],
    [{ notAfter: '2026-12-01T01:00:00.000Z' }, 'warn', 'valid for less than a day'],
    [{}, 'warn', 'valid for 4 days'],
    [{ notAfter: '2026-12-16T00:00:00.000Z' }, 'plain', 'valid for 15 days'],
    [{ source: 'dns' }, 'warn', 'valid for 4 days'],
    // It lives for six days.
    [{ source: 'dns', notBefore: '2026-11-29T12:00:00.000Z' }, 'plain', 'valid for 4 days'],
  ] as const)('%j looks %s: %s', (more, level, label) => {
    expect(keptState(kept(more), now)).toEqual({ level, label });
  });
});
