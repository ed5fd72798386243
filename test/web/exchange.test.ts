/** Summaries of snapshots, chosen files, sessions and tokens. */
import { describe, expect, test } from 'bun:test';
import { clientName, expiryAt, hasExpired } from '../../src/web/account/describe.ts';
import { readSnapshot, restoreSummary, sitesOf } from '../../src/web/config/snapshot.ts';
import { readTextFile } from '../../src/web/parts/drop-area.tsx';

const site = (domain: string, config = 'respond', enabled = true) => ({
  domain,
  config,
  upstream: '',
  enabled,
});
const snapshot = (vhosts: ReturnType<typeof site>[], preamble = '') => ({
  version: 1 as const,
  preamble,
  vhosts,
});

describe('a snapshot', () => {
  test.each([
    ['nothing', ''],
    ['a Caddyfile', 'a.example {\n}'],
    ['null', 'null'],
    ['a list', '[]'],
    ['unrelated JSON', '{"name":"x"}'],
    ['another version', '{"version":2,"preamble":"","vhosts":[]}'],
    ['an incomplete site', '{"version":1,"preamble":"","vhosts":[{"domain":"a"}]}'],
    ['a null site', '{"version":1,"preamble":"","vhosts":[null]}'],
  ])('is not %s, and the error is a sentence without its content', (_, text) => {
    expect(() => readSnapshot(text)).toThrow(/^(This|Site 1)[^{"]*\.$/);
  });

  test('that differs from a site only in its placement, check or source changes it', () => {
    const present = snapshot([site('a')]);
    const changedBy = (more: object) =>
      restoreSummary(snapshot([{ ...site('a'), ...more }]), present).changed;
    for (const more of [{ agents: ['x'] }, { check: { path: '/' } }, { source: 'home' }]) {
      expect([more, changedBy(more)]).toEqual([more, ['a']]);
    }
    expect(changedBy({ agents: [], check: null, source: null, tags: [] })).toEqual([]);
  });

  test('is compared with the existing sites', () => {
    const read = readSnapshot(JSON.stringify(snapshot([site('a'), site('b', 'x'), site('d')])));
    const present = snapshot([site('a'), site('b'), site('c')]);
    expect(restoreSummary(read, present)).toEqual({
      added: ['d'],
      changed: ['b'],
      same: 1,
      removed: ['c'],
    });
    expect(sitesOf(snapshot([site('a'), site('b', 'x', false)]))).toBe('2 sites (1 off)');
  });
});

describe('a file', () => {
  test('that is not text, or too large, is refused by name', async () => {
    const odd = new File([new Uint8Array([0xff, 0xfe, 0x80])], 'odd.bin');
    expect(readTextFile(odd)).rejects.toThrow('odd.bin is not a UTF-8 text file');
    const large = new File([new Uint8Array(16 * 1024 * 1024 + 1)], 'large');
    expect(readTextFile(large)).rejects.toThrow('16 MiB');
  });

  test('is read unchanged', async () => {
    expect(await readTextFile(new File(['ä\r\n\tx'], 'Caddyfile'))).toBe('ä\r\n\tx');
  });
});

describe('accounts', () => {
  test.each([
    ['', 'Unknown client'],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Edge on Windows',
    ],
  ])('%p is %s', (userAgent, name) => {
    expect(clientName(userAgent)).toBe(name);
  });

  test('a token expires after its days, or never', () => {
    const now = new Date('2026-11-21T12:00:00.000Z');
    expect(expiryAt(null, now)).toBeNull();
    expect(expiryAt(30, now)).toBe('2026-12-21T12:00:00.000Z');
    expect(hasExpired(null, now)).toBe(false);
    expect(hasExpired('2026-11-21T12:00:00.000Z', now)).toBe(true);
    expect(hasExpired('2026-11-21T12:00:00.001Z', now)).toBe(false);
  });
});
