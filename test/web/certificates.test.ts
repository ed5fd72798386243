import { describe, expect, test } from 'bun:test';
import { whereOf } from '../../src/web/certificates/certificate-table.tsx';
import {
  addressOf,
  readView,
  rowsOf,
  shownRows,
  signer,
  sortedBy,
  stateOf,
} from '../../src/web/certificates/rows.ts';
import type { Certificate } from '../../src/web/lib/types.ts';
import { dnsDirective, overHttp, withDirective } from '../../src/web/sites/form/https-advice.tsx';

const ADVICE = { code: 'INTERNAL_NAME', message: 'None can come.', ways: [] } as const;
const row = (name: string, more: Partial<Certificate> = {}): Certificate => ({
  id: 1,
  domain: name,
  name,
  port: 443,
  issuer: 'R11',
  notBefore: '2026-11-01T00:00:00.000Z',
  notAfter: '2027-01-30T00:00:00.000Z',
  daysLeft: 70,
  automated: true,
  authority: 'public',
  checkedAt: '2026-11-20T18:00:00.000Z',
  problem: null,
  advice: null,
  error: null,
  ...more,
});
const NONE = { issuer: null, notBefore: null, notAfter: null, daysLeft: null } as const;

describe('the view of the table', () => {
  test.each(['show=x', 'sort=', 'sort=x', 'sort=--state', 'sort=state', ''])(
    'is the first one for %p',
    (query) => {
      const view = readView(new URLSearchParams(query));
      expect([view, addressOf(view)]).toEqual([
        { shown: 'all', by: 'state', down: false },
        '/certificates',
      ]);
    },
  );

  test('is kept in the address', () => {
    const view = { shown: 'problems', by: 'name', down: true } as const;
    expect(addressOf(view)).toBe('/certificates?show=problems&sort=-name');
    expect(readView(new URLSearchParams('show=problems&sort=-name'))).toEqual(view);
  });

  test('turns at the second click on the same head', () => {
    const first = sortedBy(readView(new URLSearchParams()), 'name');
    expect([first.down, sortedBy(first, 'name').down, sortedBy(first, 'issuer').down]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('has problems first, then what expires first, and last what renews itself', () => {
    const all = [
      row('own.lan', { authority: 'internal', daysLeft: 0, notAfter: '2026-11-20T23:00:00.000Z' }),
      row('b.org'),
      row('a.org', { notAfter: '2027-02-01T00:00:00.000Z', daysLeft: 72, issuer: 'E7' }),
      row('late.org', { notAfter: '2026-11-24T00:00:00.000Z', daysLeft: 3, problem: 'Late.' }),
      row('c.lan', { ...NONE, problem: 'None.' }),
    ].map((one, id) => ({ ...one, id }));
    const sites = (query: string) =>
      shownRows(all, readView(new URLSearchParams(query))).map(({ domain }) => domain);
    expect(sites('')).toEqual(['c.lan', 'late.org', 'b.org', 'a.org', 'own.lan']);
    expect(sites('sort=name')).toEqual(['a.org', 'b.org', 'c.lan', 'late.org', 'own.lan']);
    expect(sites('sort=-name')).toEqual(sites('sort=name').toReversed());
    expect(sites('sort=issuer')).toEqual(['c.lan', 'a.org', 'b.org', 'late.org', 'own.lan']);
    expect(sites('show=problems')).toEqual(['c.lan', 'late.org']);
  });
});

describe('a site', () => {
  const shop = (name: string, more: Partial<Certificate> = {}) =>
    row(name, { domain: 'shop.org', ...more });
  const partsIn = (...all: Certificate[]) =>
    rowsOf(all).map(({ further, parts }) => [
      further,
      parts.map((part) => [stateOf(part.certificate).label, whereOf(part, parts)]),
    ]);

  test('is one row, whatever its names and proxies are, if they look the same', () => {
    const all = ['edge', 'vps'].flatMap((agent) =>
      Array.from({ length: 26 }, (_, id) => [
        row(`site${id}.org`, { id, agent }),
        row(`www.site${id}.org`, { id, agent, domain: `site${id}.org` }),
      ]).flat(),
    );
    const rows = rowsOf(all);
    expect(rows).toHaveLength(26);
    expect(rows[0]).toMatchObject({ domain: 'site0.org', further: ['www.site0.org'] });
    expect(rows.filter(({ parts }) => parts.length > 1)).toEqual([]);
  });

  test('names a port only if it has the name on several', () => {
    expect(partsIn(shop('shop.org', { port: 8443 }))[0]?.[0]).toEqual([]);
    expect(partsIn(shop('shop.org'), shop('shop.org', { port: 8443 }))[0]?.[0]).toEqual([
      'shop.org:443',
      'shop.org:8443',
    ]);
  });

  test('tells names apart where they differ, the worst first', () => {
    const none = { ...NONE, problem: 'None can come.' };
    expect(partsIn(shop('shop.org'), shop('a.org'), shop('www.shop.org', none))).toEqual([
      [
        ['a.org', 'www.shop.org'],
        [
          ['no certificate', 'www.shop.org'],
          ['valid for 70 days', 'shop.org, a.org'],
        ],
      ],
    ]);
  });

  test('tells proxies apart where they differ', () => {
    const [edge, vps] = [{ agent: 'edge' }, { agent: 'vps' }];
    const younger = { ...vps, daysLeft: 80 };
    expect(partsIn(shop('shop.org', edge), shop('shop.org', younger))).toEqual([
      [
        [],
        [
          ['valid for 70 days', 'on edge'],
          ['valid for 80 days', 'on vps'],
        ],
      ],
    ]);
    const late = { ...vps, daysLeft: 3, problem: 'Late.' };
    const all = [shop('shop.org', edge), shop('shop.org', vps), shop('a.org', edge)];
    expect(partsIn(...all, shop('a.org', late))[0]?.[1]).toEqual([
      ['not renewed, 3 days left', 'a.org on vps'],
      ['valid for 70 days', 'shop.org on edge, vps'],
      ['valid for 70 days', 'a.org on edge'],
    ]);
  });
});

test.each<[string, string, Partial<Certificate>]>([
  ['bad', 'no certificate', { ...NONE, problem: 'None can come.', advice: ADVICE as never }],
  ['bad', 'refused', { ...NONE, problem: 'x', advice: { ...ADVICE, code: 'ACME' } as never }],
  ['plain', 'none yet', NONE],
  ['plain', 'not checked', { ...NONE, checkedAt: null }],
  ['bad', 'expired', { daysLeft: -1, problem: 'It has expired.' }],
  ['warn', 'not renewed, 3 days left', { daysLeft: 3, problem: 'Not renewed.' }],
  ['plain', 'valid for less than a day', { daysLeft: 0 }],
  ['plain', 'valid for 70 days', {}],
  ['plain', 'renews itself', { daysLeft: 0, authority: 'internal' }],
  [
    'warn',
    'not renewed, less than a day left',
    { daysLeft: 0, authority: 'internal', problem: 'Late.' },
  ],
  ['bad', 'expired', { daysLeft: -1, authority: 'internal', problem: 'Expired.' }],
])('a certificate is %s, “%s”', (level, label, more) => {
  expect(stateOf(row('a.org', more))).toEqual({ level, label } as never);
});

test('the authority is named', () => {
  expect([
    signer(row('a', { ...NONE, authority: 'internal' })),
    signer(row('a')),
    signer(row('a', { authority: 'internal' })),
  ]).toEqual(['', 'R11', 'own CA']);
});

describe('the ways to HTTPS', () => {
  const draft = (domain: string, config: string) => ({
    domain,
    config,
    names: [] as string[],
    upstream: '',
    enabled: true,
  });
  const BLOCK = '# mine\nnas.lan, http://b.lan {\n\trespond hi\n}';

  test('leave a block of another name alone', () => {
    const other = draft('nas.lan', 'handle {\n\trespond hi\n}');
    expect(withDirective(other, 'tls internal').config).toBe(
      'tls internal\nhandle {\n\trespond hi\n}',
    );
    expect(overHttp({ ...other, names: ['b.lan'] })).toEqual({
      domain: 'http://nas.lan',
      names: ['http://b.lan'],
    });
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
      names: [],
    });
    expect(overHttp(draft('nas.lan', BLOCK))).toEqual({
      domain: 'http://nas.lan',
      names: [],
      config: '# mine\nhttp://nas.lan, http://b.lan {\n\trespond hi\n}',
    });
  });
});
