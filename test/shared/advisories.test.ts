/** Which versions of Caddy the advisories affect. */
import { describe, expect, test } from 'bun:test';
import { advisoriesFor, SAFE_VERSION } from '../../src/shared/advisories.ts';

const HEADERS = 'CVE-2026-52845';
const COPIED = 'GHSA-7r4p-vjf4-gxv4';
const OLD = ['CVE-2026-27586', 'CVE-2026-27588', 'CVE-2026-27589', 'CVE-2026-27590'];
const idsFor = (version: string | null) => advisoriesFor(version)?.map(({ id }) => id);

describe('a version of Caddy is open to', () => {
  test.each<[string, string[]]>([
    ['2.6.2', [HEADERS, ...OLD]],
    ['v2.6.2 h1:wKoFIxpmOJLGl3QXoo6PNbYvGW4xLEgo32GPBEjWL8o=', [HEADERS, ...OLD]],
    ['2.8.4', [HEADERS, ...OLD]],
    ['v2.9.0-beta.3', [HEADERS, COPIED, ...OLD]],
    ['2.9.0', [HEADERS, COPIED, ...OLD]],
    ['2.10.2', [HEADERS, COPIED, ...OLD]],
    ['2.11.1-rc.1', [HEADERS, COPIED, ...OLD]],
    ['2.11.1', [HEADERS, COPIED]],
    ['2.11.2-0.20260301120000-0123456789ab', [HEADERS, COPIED]],
    ['2.11.2', [HEADERS]],
    ['2.11.3+dirty', [HEADERS]],
    ['2.11.4-beta.1', [HEADERS]],
    ['2.11.4', []],
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
