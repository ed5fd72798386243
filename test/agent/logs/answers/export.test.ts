/** Exports against a reader that reads everything, over plain and compressed files. */
import { describe, expect, test } from 'bun:test';
import { renameSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { EXPORT_FORMATS } from '../../../../agent/logs/answers/export.ts';
import type { Conditions } from '../../../../agent/logs/answers/filter.ts';
import { detailsOf } from '../../../../agent/logs/line/entry.ts';
import type { Logs } from '../../../../agent/logs/logs.ts';
import type { LogEntry } from '../../../../src/shared/wire/logs.ts';
import { some } from '../../../harness/full.ts';
import { anyLine, line, random } from '../lines.ts';
import { allEntries, isWanted } from '../reference.ts';
import { ROLL, temporaryLogs } from '../temp.ts';

const create = temporaryLogs();
const LINES = some(1500, 4000);
const SEED = Number(process.env.LOGS_SEED ?? 20261121);

async function exported(logs: Logs, conditions: Conditions): Promise<LogEntry[]> {
  const { body } = await logs.export(conditions, 'ndjson');
  const lines = (await new Response(body).text()).split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((text) => {
    const { details, ...entry } = JSON.parse(text) as LogEntry;
    expect(details).toBeObject();
    return entry;
  });
}

const randomLines = (seed: number, count: number, start: number): Buffer => {
  const r = random(seed);
  return Buffer.concat(
    Array.from({ length: count }, (_, at) => [anyLine(r, start + at), Buffer.from('\n')]).flat(),
  );
};

test('an export has every match once, oldest first, over plain and compressed files', async () => {
  const [first, second, third] = [
    randomLines(SEED, LINES, 1_795_000_000),
    randomLines(SEED + 1, LINES, 1_795_010_000),
    randomLines(SEED + 2, LINES, 1_795_020_000),
  ];
  const { logs, at } = create({
    'access-2026-11-18T22-17-03.468.log.gz': gzipSync(first),
    'access-2026-11-19T22-17-03.468.log.zst': zstdCompressSync(second),
    [ROLL]: third,
    'access.log': randomLines(SEED + 3, LINES, 1_795_030_000),
  });
  const all = allEntries(at('access.log'));
  const filters: Conditions[] = [
    {},
    { domain: 'a.example' },
    { statusClass: 5 },
    { domain: 'a.example', status: 404 },
    { path: '/p/1' },
    { q: '7', method: 'GET' },
    { userAgent: 'mozilla', status: 200 },
    { from: 1_795_002_000_000, to: 1_795_025_000_000 },
    { domain: 'nowhere.example' },
  ];
  for (const filter of filters) {
    const expected = all.filter((each) => isWanted(each, filter)).map(({ entry }) => entry);
    const { total } = await logs.export(filter, 'csv');
    expect([filter, total]).toEqual([filter, expected.length]);
    expect(await exported(logs, filter)).toEqual(expected.reverse());
  }
});

test('an export goes on with the next file if the log rolls meanwhile', async () => {
  const many = Array.from({ length: 9000 }, (_, n) => `${line({ request: { uri: `/${n}` } })}\n`);
  const { logs, at } = create({ 'access.log': many.join('') });
  const { body } = await logs.export({}, 'ndjson');
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = decoder.decode((await reader.read()).value);
  renameSync(at('access.log'), at(ROLL));
  await Bun.write(at('access.log'), `${line({ request: { uri: '/new' } })}\n`);
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    text += decoder.decode(piece.value);
  }
  const paths = text.match(/"path":"[^"]*"/g) ?? [];
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths.length).toBe(9001);
});

test('an export that nobody reads any more ends', async () => {
  const { logs } = create({ 'access.log': `${line()}\n`.repeat(20_000) });
  const { body } = await logs.export({}, 'csv');
  await body.cancel();
  const second = await logs.export({}, 'csv');
  expect(logs.endStreams()).toBe(1);
  expect(await new Response(second.body).text().catch((error: Error) => error.message)).toBe(
    'the server is stopping',
  );
});

describe('a table', () => {
  const write = (entry: Parameters<typeof line>[0]) => EXPORT_FORMATS.csv.write(line(entry));
  const withAgent = (agent: string) => write({ request: { headers: { 'User-Agent': [agent] } } });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1'])('takes %j for text', (text) => {
    expect(withAgent(text)).toContain(`,'${text},`);
  });

  test('quotes what would break a row', () => {
    expect(withAgent('a "b", c')).toContain(',"a ""b"", c",');
    expect(withAgent('=a,b')).toContain(`,"'=a,b",`);
    expect(withAgent('plain')).toContain(',plain,');
  });

  test('has as many fields in each row as names', () => {
    const fields = (text: string) => text.split(',').length;
    expect(fields(withAgent('plain'))).toBe(fields(EXPORT_FORMATS.csv.head));
    expect(EXPORT_FORMATS.csv.write('not an entry')).toBe('');
  });
});

test('details hide credentials and shorten what is too long', () => {
  const secret = { Cookie: ['session=1'], authorization: ['Basic eDp5'], Accept: ['*/*'] };
  const text = JSON.stringify({
    request: { uri: '/'.repeat(20_000), headers: secret },
    resp_headers: { 'Set-Cookie': ['session=2'], Server: ['Caddy'] },
    status: 200,
  });
  const details = detailsOf(text);
  expect(JSON.stringify(details)).not.toMatch(/session|eDp5/);
  expect(details).toMatchObject({
    request: { headers: { Cookie: ['REDACTED'], Accept: ['*/*'] } },
    resp_headers: { 'Set-Cookie': ['REDACTED'], Server: ['Caddy'] },
  });
  expect((details.request as { uri: string }).uri).toHaveLength(10_002);
});
