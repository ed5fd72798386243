/** What a log engine refuses, and how long it may be away: nothing is lost, and nothing blocks for ever. */
import { describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { PACE } from '../../../agent/features/ship/pace.ts';
import { parseHeaders, post, readHeaders, waitAfter } from '../../../agent/features/ship/post.ts';
import { uniqueLines as lines } from '../../agent/logs/tail/tailing.ts';
import { freePort, until } from '../../harness/stack.ts';
import { startEngine } from './engine.ts';
import { pathsOf, temporaryShippers } from './shipping.ts';

const newLog = temporaryShippers();

/** Sends one entry. */
const send = (url: string) =>
  post(
    { url, format: 'ndjson', headersFile: null },
    [{ line: '{}', time: 0, position: { segment: '', offset: 0 } }],
    new AbortController().signal,
  );

describe('the file of headers is refused', () => {
  test.each([
    ['if it is empty', '# only a comment\n\n', 'without a header'],
    ['without a colon', 'X-Scope-OrgID one\n', 'line 1 is not'],
    ['without a value', 'X-A: b\nAuthorization:\n', 'line 2 is not'],
    ['with a space in a name', 'X A: b\n', 'line 1 is not'],
    ['with a control character', 'X-A: b\u0007\n', 'line 1 is not'],
    ['with a letter that is not ASCII', 'X-A: bücher\n', 'line 1 is not'],
  ])('%s', (_, text, what) => {
    expect(() => parseHeaders(text)).toThrow(what);
  });

  test('if it cannot be read, or other users can read it', () => {
    const file = newLog().at('headers');
    expect(() => readHeaders(file)).toThrow('cannot be read');
    writeFileSync(file, 'Authorization: Bearer s3cret\r\n# comment\n\nX-Scope-OrgID:one\n');
    for (const mode of [0o604, 0o644, 0o602, 0o601]) {
      chmodSync(file, mode);
      expect(() => readHeaders(file)).toThrow('chmod 600');
    }
    for (const mode of [0o600, 0o400, 0o440]) {
      chmodSync(file, mode);
      expect(readHeaders(file)).toEqual([
        ['Authorization', 'Bearer s3cret'],
        ['X-Scope-OrgID', 'one'],
      ]);
    }
  });
});

describe('an answer', () => {
  test.each<[number, string, object]>([
    [400, '', { kind: 'content' }],
    [413, '', { kind: 'content' }],
    [422, '', { kind: 'content' }],
    [301, '', { kind: 'setup' }],
    [401, '', { kind: 'setup' }],
    [403, '', { kind: 'setup' }],
    [404, '', { kind: 'setup' }],
    [405, '', { kind: 'setup' }],
    [408, '', { kind: 'away' }],
    [500, '', { kind: 'away' }],
    [503, 'soon', { kind: 'away' }],
    [503, 'Sat, 21 Nov 2020 10:00:00 GMT', { kind: 'away' }],
    [429, '90', { kind: 'away', wait: 90_000, text: 'an explanation' }],
    [204, '', { kind: 'accepted' }],
  ])('of %i with Retry-After "%s" is %j', async (status, retryAfter, expected) => {
    const headers = { 'Retry-After': retryAfter };
    const engine = startEngine(
      () => new Response(status === 204 ? null : 'an explanation', { status, headers }),
    );
    const outcome = await send(engine.url('/'));
    expect(outcome).toMatchObject(expected);
    expect('wait' in outcome).toBe('wait' in expected);
    await engine.stop();
  });

  test('that is missing does not show the address, which may contain a secret', async () => {
    const url = `http://127.0.0.1:${freePort()}/s3cret`;
    const reason = 'the log engine does not answer (ECONNREFUSED)';
    expect(await send(url)).toEqual({ kind: 'away', reason });
  });
});

test('the wait after a failure grows to a minute, and is what the engine asks for up to an hour', () => {
  for (let failures = 0; failures < 40; failures++) {
    const longest = Math.min(60_000, 1000 * 2 ** failures);
    const wait = waitAfter(PACE, failures, 0);
    expect([wait >= longest / 2, wait <= longest]).toEqual([true, true]);
    expect(waitAfter(PACE, failures, 90_000)).toBe(90_000);
    expect(waitAfter(PACE, failures, 1e12)).toBe(3_600_000);
  }
});

describe('wrong settings', () => {
  test.each([401, 404, 400, 301])(
    'lose nothing: an engine that answers %i to everything',
    async (status) => {
      let answer: number = status;
      const engine = startEngine(() => answer);
      const { file, ship, warnings, placeFile } = newLog();
      writeFileSync(file, '');
      const shipper = ship({ url: engine.url(), format: 'loki' });
      await until(() => existsSync(placeFile));
      const paths = Array.from({ length: 40 }, (_, i) => `/${i}`);
      appendFileSync(file, lines(...paths));
      await until(() => shipper.counts().failures > 2);
      expect(warnings.get('log shipping')).toContain(`: the log engine answers ${status}. `);
      expect(shipper.counts()).toMatchObject({ shipped: 0, refused: 0 });
      // To find out, it takes a few lines of a batch, not all.
      expect(engine.requests.length).toBeLessThan(25 * shipper.counts().failures);
      answer = 204;
      await until(() => engine.accepted.length === 40);
      expect(pathsOf(engine.accepted)).toBe(paths.join(' '));
      await until(() => !warnings.has('log shipping'));
      expect(shipper.counts()).toMatchObject({ shipped: 40, refused: 0 });
      await engine.stop();
    },
  );

  test('are healed by a new file of headers, without a restart', async () => {
    const engine = startEngine(({ headers }) =>
      headers.get('authorization') === 'Bearer new' ? 204 : 401,
    );
    const { file, ship, warnings, at, placeFile } = newLog();
    writeFileSync(at('headers'), 'Authorization: Bearer old\n', { mode: 0o600 });
    const shipper = ship({ url: engine.url(), format: 'loki', headersFile: at('headers') });
    await until(() => existsSync(placeFile));
    writeFileSync(file, lines('/a'));
    await until(() => shipper.counts().failures > 1);
    chmodSync(at('headers'), 0o644);
    await until(() => warnings.get('log shipping')?.includes('chmod 600'));
    const before = engine.requests.length;
    await until(() => shipper.counts().failures > 4);
    expect(engine.requests.length).toBeLessThanOrEqual(before + 1);
    writeFileSync(at('headers'), 'Authorization: Bearer new\n');
    chmodSync(at('headers'), 0o600);
    await until(() => engine.accepted.length === 1);
    expect(JSON.stringify([...warnings])).not.toContain('Bearer');
    await engine.stop();
  });

  test('a damaged place is not overwritten, and shipping waits until it is deleted', async () => {
    const engine = startEngine();
    const { file, ship, warnings, placeFile } = newLog();
    writeFileSync(file, lines('/old'));
    for (const damage of ['', '{', '{"after":"x","time":1}', '{"after":null,"time":"1"}', 'null']) {
      writeFileSync(placeFile, damage);
      const shipper = ship({ url: engine.url('/') });
      await until(() => warnings.get('log shipping')?.includes('log-ship.json is damaged'));
      expect(readFileSync(placeFile, 'utf8')).toBe(damage);
      await shipper.end();
      warnings.clear();
    }
    ship({ url: engine.url('/') });
    await until(() => warnings.has('log shipping'));
    rmSync(placeFile);
    writeFileSync(file, '');
    appendFileSync(file, lines('/older'));
    await until(() => existsSync(placeFile) && !warnings.has('log shipping'));
    appendFileSync(file, lines('/new'));
    await until(() => engine.accepted.length > 0);
    expect(pathsOf(engine.accepted)).toBe('/new');
    await engine.stop();
  });
});

describe('lines that the engine refuses', () => {
  const refusing = (bad: RegExp) =>
    startEngine(({ lines: sent }) => (bad.test(pathsOf(sent)) ? 400 : 204));

  test('are left out, each with its place in the log; all others arrive once and in order', async () => {
    const engine = refusing(/bad/);
    const { file, ship, logged, warnings, placeFile } = newLog();
    const shipper = ship({ url: engine.url('/insert/jsonline') });
    await until(() => existsSync(placeFile));
    const paths = Array.from({ length: 100 }, (_, i) => (i % 33 === 0 ? `/bad${i}` : `/${i}`));
    const text = lines(...paths);
    writeFileSync(file, text);
    await until(() => shipper.counts().shipped + shipper.counts().refused === 100);
    expect(pathsOf(engine.accepted)).toBe(paths.filter((path) => !path.includes('bad')).join(' '));
    expect(shipper.counts()).toMatchObject({ shipped: 96, refused: 4, failures: 0 });
    const places = logged.flatMap(({ event, fields }) =>
      event === 'access log entry not shipped' ? [String(fields?.place)] : [],
    );
    const ends = places.map((place) => Number(place.split('-')[1]));
    expect(
      ends.map((end) => /"uri":"([^"]+)"/.exec(text.slice(0, end).split('\n').at(-2) ?? '')?.[1]),
    ).toEqual(paths.filter((path) => path.includes('bad')));
    expect(warnings.get('log shipping refused')).toContain('left out');
    expect(warnings.has('log shipping')).toBe(false);
    await engine.stop();
  });

  test('do not hold up an engine that accepted others before, not even a whole batch of them', async () => {
    const engine = refusing(/bad/);
    const { file, ship, placeFile } = newLog();
    const first = ship({ url: engine.url('/') });
    await until(() => existsSync(placeFile));
    writeFileSync(file, lines('/a'));
    await until(() => engine.accepted.length === 1);
    await first.end();
    appendFileSync(file, lines(...Array.from({ length: 20 }, (_, i) => `/bad${i}`)));
    const second = ship({ url: engine.url('/') });
    await until(() => second.counts().refused === 20);
    appendFileSync(file, lines('/b'));
    await until(() => engine.accepted.length === 2);
    expect(pathsOf(engine.accepted)).toBe('/a /b');
    await second.end();
    // Another engine has accepted nothing yet.
    appendFileSync(file, lines('/bad', '/bad'));
    const third = ship({ url: engine.url('/other') });
    await until(() => third.counts().failures > 2);
    expect(third.counts().refused).toBe(0);
    await engine.stop();
  });
});

test('a batch of which an engine took a part before it went away is continued, not repeated', async () => {
  let requests = 0;
  const engine = startEngine((batch) => {
    if (batch.lines.length > 10) return 413;
    return ++requests % 2 === 0 ? 503 : 204;
  });
  const { file, ship, placeFile } = newLog();
  const shipper = ship({ url: engine.url('/') });
  await until(() => existsSync(placeFile));
  const paths = Array.from({ length: 100 }, (_, i) => `/${i}`);
  writeFileSync(file, lines(...paths));
  await until(() => engine.accepted.length >= 100);
  expect(pathsOf(engine.accepted)).toBe(paths.join(' '));
  await until(() => shipper.counts().shipped === 100);
  expect(shipper.counts().refused).toBe(0);
  await engine.stop();
});

test('an engine that is away is a warning after five minutes, and gets everything when it is back', async () => {
  let time = Date.parse('2026-11-21T10:00:00Z');
  let answer = 503;
  const engine = startEngine(() => answer);
  const { file, ship, warnings, placeFile } = newLog();
  const shipper = ship({ url: engine.url('/'), now: () => time });
  await until(() => existsSync(placeFile));
  writeFileSync(file, lines('/a'));
  await until(() => shipper.counts().failures > 2);
  expect([...warnings]).toEqual([]);
  time += 299_000;
  const { failures } = shipper.counts();
  await until(() => shipper.counts().failures > failures + 2);
  expect([...warnings]).toEqual([]);
  time += 2_000;
  await until(() => warnings.has('log shipping'));
  expect(warnings.get('log shipping')).toStartWith(
    'Access-log entries have not been shipped since 2026-11-21T10:00:00.000Z: the log engine answers 503. ',
  );
  const { seconds, bytes } = await shipper.lag();
  expect([seconds > 300, bytes]).toEqual([true, Bun.file(file).size]);
  appendFileSync(file, lines(...Array.from({ length: 500 }, (_, i) => `/${i}`)));
  answer = 204;
  await until(() => engine.accepted.length === 501);
  await until(() => warnings.size === 0);
  // The last answer may still be on its way.
  await until(async () => {
    const { seconds, bytes } = await shipper.lag();
    return seconds === 0 && bytes === 0;
  }, 'nothing that waits');
  expect(engine.faults).toEqual([]);
  await engine.stop();
});
