import { describe, expect, test } from 'bun:test';
import {
  addressOf,
  expiry,
  markOf,
  readView,
  shownRows,
  signer,
  sortedBy,
} from '../../src/web/certificates/rows.ts';
import type { Certificate } from '../../src/web/lib/types.ts';
import { dnsDirective, overHttp, withDirective } from '../../src/web/sites/form/https-advice.tsx';

const ADVICE = { code: 'INTERNAL_NAME', message: 'None can come.', ways: [] } as const;
const row = (name: string, more: Partial<Certificate> = {}): Certificate => ({
  ...{ id: 1, domain: name, name, port: 443, issuer: 'R11', notBefore: '2026-11-01T00:00:00.000Z' },
  ...{ notAfter: '2027-01-30T00:00:00.000Z', daysLeft: 70, automated: true, authority: 'public' },
  ...{ checkedAt: '2026-11-20T18:00:00.000Z', problem: null, advice: null, error: null },
  ...more,
});
const NONE = { issuer: null, notBefore: null, notAfter: null, daysLeft: null } as const;

describe('the view of the table', () => {
  test.each(['show=x', 'sort=', 'sort=x', 'sort=--name', 'sort=name', ''])(
    'is the first one for %p',
    (query) => {
      const view = readView(new URLSearchParams(query));
      expect([view, addressOf(view)]).toEqual([
        { shown: 'all', by: 'name', down: false },
        '/certificates',
      ]);
    },
  );

  test('is kept in the address', () => {
    const view = { shown: 'problems', by: 'expires', down: true } as const;
    expect(addressOf(view)).toBe('/certificates?show=problems&sort=-expires');
    expect(readView(new URLSearchParams('show=problems&sort=-expires'))).toEqual(view);
  });

  test('turns at the second click on the same head', () => {
    const first = sortedBy(readView(new URLSearchParams()), 'expires');
    expect([first.down, sortedBy(first, 'expires').down, sortedBy(first, 'name').down]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('sorts and filters', () => {
    const late = row('a.org', { notAfter: '2027-02-01T00:00:00.000Z', issuer: 'E7' });
    const none = row('c.lan', { ...NONE, problem: 'None.' });
    const all = [row('b.org'), none, late];
    const names = (query: string) =>
      shownRows(all, readView(new URLSearchParams(query))).map(({ name }) => name);
    expect(names('')).toEqual(['a.org', 'b.org', 'c.lan']);
    expect(names('sort=-name')).toEqual(['c.lan', 'b.org', 'a.org']);
    expect(names('sort=expires')).toEqual(['c.lan', 'b.org', 'a.org']);
    expect(names('sort=issuer')).toEqual(['c.lan', 'a.org', 'b.org']);
    expect(names('show=problems')).toEqual(['c.lan']);
  });
});

test.each<[string, string, string, Partial<Certificate>]>([
  ['bad', 'no certificate', '', { ...NONE, problem: 'None can come.', advice: ADVICE as never }],
  ['bad', 'refused', '', { ...NONE, problem: 'x', advice: { ...ADVICE, code: 'ACME' } as never }],
  ['plain', 'none yet', '', NONE],
  ['plain', 'not checked', '', { ...NONE, checkedAt: null }],
  ['bad', 'expired', 'expired', { daysLeft: -1, problem: 'It has expired.' }],
  ['warn', 'not renewed', 'in 3 days', { daysLeft: 3, problem: 'Not renewed.' }],
  ['good', 'valid', 'within a day', { daysLeft: 0 }],
  ['good', 'valid', 'in 70 days', {}],
])('a certificate is %s, “%s”, and expires “%s”', (level, label, expires, more) => {
  const one = row('a.org', more);
  expect(markOf(one)).toEqual({ level, label } as never);
  expect(expiry(one)).toBe(expires);
});

test('the authority is named', () => {
  expect([
    signer(row('a', NONE)),
    signer(row('a')),
    signer(row('a', { authority: 'internal' })),
  ]).toEqual(['', 'R11', 'Caddy itself']);
});

describe('the ways to HTTPS', () => {
  const draft = (domain: string, config: string) => ({
    domain,
    config,
    upstream: '',
    enabled: true,
  });
  const BLOCK = '# mine\nnas.lan, http://b.lan {\n\trespond hi\n}';

  test('leave a block of another name alone', () => {
    const other = draft('nas.lan', 'handle {\n\trespond hi\n}');
    expect(withDirective(other, 'tls internal').config).toBe(
      'tls internal\nhandle {\n\trespond hi\n}',
    );
    expect(overHttp(other)).toEqual({ domain: 'http://nas.lan' });
  });

  test('add a directive to a body, and to a block', () => {
    expect(withDirective(draft('nas.lan', 'respond hi'), 'tls internal')).toEqual({
      config: 'tls internal\nrespond hi',
    });
    expect(withDirective(draft('nas.lan', BLOCK), 'tls internal').config).toBe(
      '# mine\nnas.lan, http://b.lan {\n\ttls internal\n\trespond hi\n}',
    );
    const dns = dnsDirective('cloudflare');
    expect(dns).toBe('tls {\n\tdns cloudflare {env.CLOUDFLARE_API_TOKEN}\n}');
    expect(withDirective(draft('nas.lan', 'nas.lan {\n}'), dns).config).toBe(
      'nas.lan {\n\ttls {\n\t\tdns cloudflare {env.CLOUDFLARE_API_TOKEN}\n\t}\n}',
    );
  });

  test('serve a name over plain HTTP', () => {
    expect(overHttp(draft(' https://nas.lan ', 'respond hi'))).toEqual({
      domain: 'http://nas.lan',
    });
    expect(overHttp(draft('nas.lan', BLOCK))).toEqual({
      domain: 'http://nas.lan',
      config: '# mine\nhttp://nas.lan, http://b.lan {\n\trespond hi\n}',
    });
  });
});
