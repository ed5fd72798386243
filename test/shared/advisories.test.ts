/** Which versions of Caddy the advisories affect. */
import { describe, expect, test } from 'bun:test';
import { advisoriesFor, SAFE_VERSION } from '../../src/shared/advisories.ts';

const NEWEST = ['GHSA-6365-7ppr-5r92', 'GHSA-49wc-4hcv-v58q'];
const HEADERS = 'CVE-2026-52845';
const COPIED = 'GHSA-7r4p-vjf4-gxv4';
const OLD = [6, 7, 8, 9].map((digit) => `CVE-2026-2758${digit}`).concat('CVE-2026-27590');
const idsFor = (version: string | null) => advisoriesFor(version)?.map(({ id }) => id);

describe('a version of Caddy is open to', () => {
  test.each<[string, string[]]>([
    ['2.6.2', [...NEWEST, HEADERS, ...OLD]],
    ['v2.6.2 h1:wKoFIxpmOJLGl3QXoo6PNbYvGW4xLEgo32GPBEjWL8o=', [...NEWEST, HEADERS, ...OLD]],
    ['2.8.4', [...NEWEST, HEADERS, ...OLD]],
    ['v2.9.0-beta.3', [...NEWEST, HEADERS, COPIED, ...OLD]],
    ['2.9.0', [...NEWEST, HEADERS, COPIED, ...OLD]],
    ['2.10.2', [...NEWEST, HEADERS, COPIED, ...OLD]],
    ['2.11.1-rc.1', [...NEWEST, HEADERS, COPIED, ...OLD]],
    ['2.11.1', [...NEWEST, HEADERS, COPIED]],
    ['2.11.2-0.20260301120000-0123456789ab', [...NEWEST, HEADERS, COPIED]],
    ['2.11.2', [...NEWEST, HEADERS]],
    ['2.11.3+dirty', [...NEWEST, HEADERS]],
    ['2.11.4-beta.1', [...NEWEST, HEADERS]],
    ['2.11.4', NEWEST],
    ['2.11.6-beta.1', NEWEST],
    ['2.11.6', []],
    ['2.11.7', []],
    ['2.11.10', []],
    ['2.12.0-beta.1', []],
    ['2.100.0', []],
    ['10.0.0', []],
  ])('%s', (version, ids) => expect(idsFor(version)).toEqual(ids));

  test.each([null, '', '(devel)', 'unknown', '2.6', '2.6.x', 'two', '2.6.2evil'])(
    'nobody knows what: %p',
    (version) => expect(advisoriesFor(version)).toBeNull(),
  );
});

test('a fix is one, and the version to upgrade to has all of them', () => {
  expect(idsFor('2.10.0')).toContain(COPIED);
  for (const { id, fixedIn } of advisoriesFor('2.10.0') ?? []) {
    expect(idsFor(fixedIn)).not.toContain(id);
  }
  expect(advisoriesFor(SAFE_VERSION)).toEqual([]);
});
