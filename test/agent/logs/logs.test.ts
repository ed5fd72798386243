import { describe, expect, test } from 'bun:test';
import { appendFileSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { getSchemaValidator } from 'elysia';
import { parseLogQuery } from '../../../agent/logs/answers/filter.ts';
import { createLogs } from '../../../agent/logs/logs.ts';
import { LogQuery } from '../../../src/shared/wire.ts';
import { line } from './lines.ts';
import { temporaryFolders } from './temp.ts';

const checks = (query: object) => getSchemaValidator(LogQuery).Check(query);
const newFolder = temporaryFolders();
const ALL = { page: 1, pageSize: 500 };
const ROLL = 'access-2026-11-20T22-17-03.468.log';

/** A log in a new folder with the given files; `paths` asks for the paths of the newest page. */
function logWith(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = newFolder();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  const logs = createLogs({ file: join(folder, 'access.log') });
  const paths = async (filter = {}) => {
    const { logs: entries, total } = await logs.page({ ...ALL, ...filter });
    expect(total).toBe(entries.length);
    return entries.map(({ path }) => path).join(' ');
  };
  return { logs, paths, at: (name: string) => join(folder, name) };
}

/** Lines with the given paths. */
function lines(...uris: string[]): string {
  return uris.map((uri) => `${line({ request: { uri } })}\n`).join('');
}

describe('the filters of a URL', () => {
  test('empty values are absent, and there are defaults', () => {
    const defaults = { page: 1, pageSize: 50 };
    expect(parseLogQuery({})).toEqual(defaults);
    expect(parseLogQuery({ domain: '', status: '', page: '', pageSize: '' })).toEqual(defaults);
  });

  test('numbers are read', () => {
    const query = { domain: 'a.example', status: '0', page: '3', pageSize: '7' };
    expect(parseLogQuery(query)).toEqual({ domain: 'a.example', status: 0, page: 3, pageSize: 7 });
  });
});

describe('times and addresses of a URL', () => {
  const at = Date.UTC(2026, 10, 20, 22, 12, 47, 620);
  test.each([
    ['2026-11-20T22:12:47.620Z', at],
    ['2026-11-20T22:12:47,6209999', at],
    ['2026-11-21T00:12:47.62+02:00', at],
    ['2026-11-21T00:12:47.62 0200', at],
    ['2026-11-20T21:42:47.62-00:30', at],
    ['2026-11-20T22:12', at - 47_620],
    ['2026-11-20', Date.UTC(2026, 10, 20)],
  ])('%s', (from, time) => {
    expect(checks({ from })).toBe(true);
    expect(parseLogQuery({ from, to: from })).toMatchObject({ from: time, to: time });
  });

  test.each([
    '2026',
    '2026-13-01',
    '2026-11-31',
    '2026-02-30',
    '2026-11-20T24:00Z',
    '2026-11-20T22:60Z',
    '2026-11-20T',
    '1795212767',
    'yesterday',
    '2026-11-20T22:12:47.620Zx',
  ])('%s is no time', (to) => {
    expect(checks({ to })).toBe(false);
  });

  test.each([
    ['::1', '::1'],
    ['[0:0:0:0:0:0:0:1]', '::1'],
    ['2001:DB8::00ff', '2001:db8::ff'],
    ['fe80::1%Eth0', 'fe80::1%eth0'],
    ['10.0.0.1', '10.0.0.1'],
    ['127.1', '127.1'],
  ])('%s is %s', (ip, canonical) => {
    expect(parseLogQuery({ ip })).toMatchObject({ ip: canonical });
  });
});

describe('conditions on single lines', () => {
  const entry = (ts: number, uri: string, method = 'GET', remote_ip = '10.0.0.1', status = 200) =>
    line({ ts, status, request: { uri, method, remote_ip } });
  const text = [
    entry(1795212767.1, '/a/one?x=/b'),
    entry(1795212769.3, '/a/two', 'POST', '2001:db8::1', 204),
    entry(1795212768.2, '/b/one', 'get', '2001:db8::1', 404),
    entry(1795212770.4, '/\u00fc"one', 'PUT', '10.0.0.10', 0),
    line({ ts: 'never', request: { uri: '/timeless' } }),
  ].join('\n');

  test.each([
    ['method=get', '/timeless /b/one /a/one'],
    ['path=/a', '/a/two /a/one'],
    ['path=/A', ''],
    ['q=one', '/\u00fc"one /b/one /a/one'],
    ['q=/b', '/b/one'],
    ['path=/\u00fc', '/\u00fc"one'],
    ['ip=10.0.0.1', '/a/one'],
    ['ip=2001:DB8:0::1', '/b/one /a/two'],
    ['status=2xx&path=/a', '/a/two /a/one'],
    ['status=4XX', '/b/one'],
    ['status=1xx', ''],
    ['from=2026-11-20T22:12:48.200Z', '/\u00fc"one /b/one /a/two'],
    ['to=2026-11-20T22:12:48.200Z', '/a/one'],
    ['from=2026-11-20&to=2026-11-21', '/\u00fc"one /b/one /a/two /a/one'],
    ['from=2026-11-21', ''],
    ['method=post&ip=2001:db8::1&q=w&status=204', '/a/two'],
  ])('%s', async (query, expected) => {
    const params = Object.fromEntries(new URLSearchParams(query));
    const { page, pageSize, ...conditions } = parseLogQuery(params);
    const { paths } = logWith({ 'access.log': `${text}\n`, [`${ROLL}.gz`]: gzipSync('') });
    expect(await paths(conditions)).toBe(expected);
  });
});

describe('what is not there', () => {
  test('no folder, no file, an empty file', async () => {
    const nowhere = createLogs({ file: join(newFolder(), 'no', 'access.log') });
    const empty = { logs: [], total: 0, page: 2, pageSize: 5 };
    expect(await nowhere.page({ page: 2, pageSize: 5 })).toEqual(empty);
    expect(await logWith({}).paths()).toBe('');
    expect(await logWith({ 'access.log': '', [`${ROLL}.gz`]: '', [ROLL]: '' }).paths()).toBe('');
  });

  test('an unfinished last line, until its newline comes', async () => {
    const { paths, at } = logWith({ 'access.log': lines('/a') + line({ request: { uri: '/b' } }) });
    expect(await paths()).toBe('/a');
    appendFileSync(at('access.log'), '\n');
    expect(await paths()).toBe('/b /a');
  });

  test('pages past the end', async () => {
    const { logs } = logWith({ 'access.log': lines('/a', '/b', '/c') });
    expect(await logs.page({ page: 3, pageSize: 2 })).toMatchObject({ logs: [], total: 3 });
    const far = await logs.page({ page: 999_999_999_999_999, pageSize: 500 });
    expect(far).toMatchObject({ logs: [], total: 3, page: 999_999_999_999_999 });
  });

  test('a closed log', async () => {
    const { logs } = logWith({ 'access.log': lines('/a') });
    logs.close();
    await expect(logs.page(ALL)).rejects.toThrow('closed');
  });
});

describe('damaged files', () => {
  test('a cut gzip file is read up to the cut', async () => {
    const many = lines(...Array.from({ length: 2000 }, (_, i) => `/${(i * 7919) % 104729}`));
    const packed = gzipSync(many);
    const { logs } = logWith({ [`${ROLL}.gz`]: packed.subarray(0, packed.length - 9) });
    expect((await logs.page(ALL)).total).toBeGreaterThan(1000);
  });

  test('what is no gzip file at all holds nothing', async () => {
    const { paths } = logWith({ [`${ROLL}.gz`]: 'nonsense', 'access.log': lines('/a') });
    expect(await paths()).toBe('/a');
  });
});

describe('lines', () => {
  test('longer than a block, and of 5 MB', async () => {
    const long = `/${'x'.repeat(5_000_000)}`;
    const { logs } = logWith({ 'access.log': lines('/a', long, '/b', `/${'y'.repeat(1 << 20)}`) });
    const { logs: entries, total } = await logs.page(ALL);
    expect(total).toBe(4);
    expect(entries.map(({ path }) => path.length)).toEqual([(1 << 20) + 1, 2, long.length, 2]);
    expect((await logs.page({ page: 3, pageSize: 1 })).logs[0]?.path).toBe(long);
  });

  test('too long to be kept are passed over', async () => {
    const giant = Buffer.alloc(65 << 20, 'x');
    const { paths, at } = logWith({ 'access.log': lines('/a') });
    appendFileSync(at('access.log'), giant);
    appendFileSync(at('access.log'), `\n${lines('/b')}`);
    expect(await paths()).toBe('/b /a');
  });

  test('with carriage returns, U+2028 and bytes that are no UTF-8', async () => {
    const bytes = Buffer.from(lines('/a', '/\u2028', '/c').replaceAll('\n', '\r\n'));
    bytes[bytes.indexOf('/c') + 1] = 0xff;
    expect(await logWith({ 'access.log': bytes }).paths()).toBe('/\ufffd /\u2028 /a');
  });
});

describe('domains', () => {
  const hosts = [
    'B.Example:81',
    'b.example.',
    'bücher.example',
    'xn--bcher-kva.example',
    '[::1]:1',
  ];
  const text = hosts.map((host, i) => `${line({ request: { host, uri: `/${i}` } })}\n`).join('');

  test.each([
    ['example', ''],
    ['b.exampl', ''],
    ['b.example', '/1 /0'],
    ['B.EXAMPLE.', '/1 /0'],
    ['b.example:443', '/1 /0'],
    ['bücher.example', '/3 /2'],
    ['BÜCHER.example.', '/3 /2'],
    ['xn--bcher-kva.example', '/3 /2'],
    ['::1', '/4'],
    ['[::1]', '/4'],
    ['[::1]:8080', '/4'],
  ])('%s', async (domain, expected) => {
    expect(await logWith({ 'access.log': text }).paths({ domain })).toBe(expected);
  });

  test('more of them than are told apart are still exact', async () => {
    const many = Array.from({ length: 17_000 }, (_, i) => {
      return line({ status: 200 + (i % 2), request: { host: `h${i}.example`, uri: `/${i}` } });
    });
    many.push(line({ request: { host: 'x'.repeat(300), uri: '/long' } }));
    const { paths } = logWith({ [`${ROLL}.gz`]: gzipSync(`${many.join('\n')}\n`) });
    expect(await paths({ domain: 'h5.example' })).toBe('/5');
    expect(await paths({ domain: 'h16999.example' })).toBe('/16999');
    expect(await paths({ domain: 'h16999.example', status: 200 })).toBe('');
    expect(await paths({ domain: 'nobody.example' })).toBe('');
    expect(await paths({ domain: 'x'.repeat(300) })).toBe('/long');
  });
});

describe('growing, rolling, compressing', () => {
  test('appended lines are visible at once', async () => {
    const { paths, at } = logWith({ 'access.log': '' });
    for (let i = 0; i < 20; i++) {
      appendFileSync(at('access.log'), lines(`/${i}`));
      expect((await paths()).startsWith(`/${i}`)).toBe(true);
    }
  });

  test('calls at once share the work and agree', async () => {
    const { paths } = logWith({ 'access.log': lines('/a', '/b'), [ROLL]: lines('/c') });
    const answers = await Promise.all(Array.from({ length: 50 }, () => paths()));
    expect(new Set(answers)).toEqual(new Set(['/b /a /c']));
  });

  test('a roll keeps what was indexed: rename, new file, compress, remove', async () => {
    const { paths, at } = logWith({ 'access.log': lines('/a', '/b') });
    expect(await paths()).toBe('/b /a');
    appendFileSync(at('access.log'), lines('/c'));
    renameSync(at('access.log'), at(ROLL));
    expect(await paths()).toBe('/c /b /a');
    writeFileSync(at('access.log'), lines('/d'));
    expect(await paths()).toBe('/d /c /b /a');
    const packed = gzipSync(lines('/a', '/b', '/c'));
    writeFileSync(at(`${ROLL}.gz`), packed.subarray(0, 20));
    expect(await paths()).toBe('/d /c /b /a');
    writeFileSync(at(`${ROLL}.gz`), packed);
    rmSync(at(ROLL));
    expect(await paths()).toBe('/d /c /b /a');
    rmSync(at(`${ROLL}.gz`));
    expect(await paths()).toBe('/d');
  });

  test.each([
    ['.gz', gzipSync],
    ['.zst', zstdCompressSync],
  ])('a roll that was written to and turned into %s unseen', async (suffix, pack) => {
    const { paths, at } = logWith({ 'access.log': lines('/a', '/b') });
    await paths();
    writeFileSync(at(ROLL + suffix), pack(lines('/a', '/b', '/c') + line()));
    writeFileSync(at('access.log'), lines('/d'));
    expect(await paths()).toBe('/d / /c /b /a');
  });

  test('the last line of a roll counts without its newline, and no longer when it goes on', async () => {
    const { paths, at } = logWith({ [ROLL]: lines('/a') + lines('/b').trimEnd() });
    expect(await paths()).toBe('/b /a');
    appendFileSync(at(ROLL), `garbage\n${lines('/c')}`);
    expect(await paths()).toBe('/c /a');
  });

  test('a truncated file starts again, even when it has grown beyond its old size', async () => {
    const { paths, at } = logWith({ 'access.log': lines('/a', '/b') });
    await paths();
    writeFileSync(at('access.log'), lines('/c'));
    expect(await paths()).toBe('/c');
    writeFileSync(at('access.log'), lines('/d', '/e', '/f'));
    expect(await paths()).toBe('/f /e /d');
  });

  test('a replaced file starts again', async () => {
    const { paths, at } = logWith({ 'access.log': lines('/a', '/b') });
    await paths();
    const before = statSync(at('access.log')).ino;
    writeFileSync(at('new'), lines('/c', '/d'));
    renameSync(at('new'), at('access.log'));
    expect(statSync(at('access.log')).ino).not.toBe(before);
    expect(await paths()).toBe('/d /c');
  });

  test('a folder that appears later', async () => {
    const folder = join(newFolder(), 'later');
    const logs = createLogs({ file: join(folder, 'access.log') });
    expect((await logs.page(ALL)).total).toBe(0);
    mkdirSync(folder);
    writeFileSync(join(folder, 'access.log'), lines('/a'));
    expect((await logs.page(ALL)).total).toBe(1);
  });
});

test('while the log is indexed for the first time, its newest segments are answered', async () => {
  const folder = newFolder();
  const file = join(folder, 'access.log');
  for (let i = 0; i < 6; i++) {
    const uris = Array.from({ length: 3000 }, (_, n) => `/${i}/${n}`);
    const name = i === 5 ? 'access.log' : `access-2026-11-20T22-17-03.46${i}.log.gz`;
    writeFileSync(join(folder, name), i === 5 ? lines(...uris) : gzipSync(lines(...uris)));
  }
  const logs = createLogs({ file, timeout: 0 });
  logs.warm();
  const totals: number[] = [];
  for (;;) {
    const { partial, total, logs: entries } = await logs.page({ page: 1, pageSize: 1 });
    totals.push(total);
    // All of a segment, or nothing of it.
    expect(total % 3000).toBe(0);
    expect(entries[0]?.path).toBe(total === 0 ? undefined : '/5/2999');
    if (!partial) break;
  }
  expect(totals[0]).toBeLessThan(18_000);
  expect(totals.at(-1)).toBe(18_000);
  expect(totals).toEqual(totals.toSorted((a, b) => a - b));
  logs.close();
});

test('rolls, compression and removal while queries run lose and double nothing', async () => {
  const { logs, at } = logWith({ 'access.log': '' });
  let written = 0;
  let done = false;

  async function write(): Promise<void> {
    for (let roll = 0; roll < 12; roll++) {
      for (let i = 0; i < 40; i++) {
        appendFileSync(at('access.log'), lines(`/${written++}`));
        if (i % 10 === 0) await Bun.sleep(0);
      }
      const name = ROLL.replace('03.468', `03.${100 + roll}`);
      renameSync(at('access.log'), at(name));
      if (roll % 2) await Bun.sleep(0);
      writeFileSync(at('access.log'), '');
      const packed = gzipSync(await Bun.file(at(name)).bytes());
      writeFileSync(at(`${name}.gz`), packed.subarray(0, packed.length >> 1));
      await Bun.sleep(0);
      writeFileSync(at(`${name}.gz`), packed);
      rmSync(at(name));
    }
    done = true;
  }

  async function ask(): Promise<void> {
    let seen = 0;
    while (!done) {
      const before = written;
      const { total, logs: entries } = await logs.page({ page: 1, pageSize: 30 });
      expect(total).toBeGreaterThanOrEqual(Math.max(seen, before));
      expect(total).toBeLessThanOrEqual(written);
      const expected = Array.from({ length: Math.min(30, total) }, (_, i) => `/${total - 1 - i}`);
      expect(entries.map(({ path }) => path)).toEqual(expected);
      seen = total;
    }
  }

  await Promise.all([write(), ask(), ask(), ask()]);
  const { total } = await logs.page(ALL);
  expect(total).toBe(written);
});
