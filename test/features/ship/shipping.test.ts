/** What a log engine gets: each entry of the log from the first start on, once and in order. */
import { describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { gzipSync } from 'node:zlib';
import { formatOf } from '../../../agent/features/ship/format.ts';
import { anyLines, random } from '../../agent/logs/lines.ts';
import { allEntries } from '../../agent/logs/reference.ts';
import { uniqueLines as lines } from '../../agent/logs/tail/tailing.ts';
import { keeperOf } from '../../agent/logs/temp.ts';
import { until } from '../../harness/stack.ts';
import { startEngine } from './engine.ts';
import { pathsOf, temporaryShippers } from './shipping.ts';

const newLog = temporaryShippers();
const roll = (n: number) => `access-2026-11-20T22-17-03.${100 + n}.log`;

/** A log whose engine has accepted `/a`; the shipper is closed. */
async function shippedLog() {
  const engine = startEngine();
  const log = newLog();
  const options = { url: engine.url('/') };
  const shipper = log.ship(options);
  await until(() => existsSync(log.placeFile));
  writeFileSync(log.file, lines('/a'));
  await until(() => engine.accepted.length === 1);
  await shipper.end();
  const arrived = async (paths: string) => {
    await until(() => engine.accepted.length >= paths.split(' ').length, paths);
    expect(pathsOf(engine.accepted)).toBe(paths);
    expect(engine.faults).toEqual([]);
  };
  return { ...log, engine, arrived, ship: () => log.ship(options) };
}

test('the log is not read from its start, but from where it ends when shipping is set up; then it continues where it stopped', async () => {
  const engine = startEngine();
  const { file, ship, at, placeFile } = newLog();
  writeFileSync(at(roll(1)), lines('/older'));
  writeFileSync(file, `${lines('/old')}{"unfinished":`);
  const first = ship({ url: engine.url('/') });
  await until(() => existsSync(placeFile));
  appendFileSync(file, `1}\n${lines('/a')}not an entry\n`);
  await until(() => engine.accepted.length === 1);
  await first.end();
  appendFileSync(file, lines('/b'));
  const second = ship({ url: engine.url('/') });
  await until(() => engine.accepted.length === 2);
  await second.end();
  expect(pathsOf(engine.accepted)).toBe('/a /b');
  expect(await second.lag()).toEqual({ seconds: 0, bytes: 0 });
  await engine.stop();
});

describe('what was deleted before it was shipped', () => {
  test('is a warning with the range, and shipping continues with the oldest that is left', async () => {
    const { file, at, ship, arrived, warnings, engine } = await shippedLog();
    renameSync(file, at(roll(1)));
    writeFileSync(at(roll(2)), lines('/b'));
    writeFileSync(file, lines('/c'));
    rmSync(at(roll(1)));
    // Written before the entry that was shipped last.
    writeFileSync(at(roll(0)), lines('/older'));
    utimesSync(at(roll(0)), 1_700_000_000, 1_700_000_000);
    ship();
    await arrived('/a /b /c');
    const time = String.raw`2026-11-2\dT\S+Z`;
    expect(warnings.get('log shipping lost')).toMatch(
      new RegExp(
        `^Access-log entries between ${time} and ${time} were deleted before they were shipped.$`,
      ),
    );
    await engine.stop();
  });

  test('while the shipper runs is a warning as well', async () => {
    const { file, at, ship, arrived, warnings, engine } = await shippedLog();
    const shipper = ship();
    appendFileSync(file, lines('/b'));
    await arrived('/a /b');
    renameSync(file, at(roll(1)));
    rmSync(at(roll(1)));
    writeFileSync(at(roll(2)), lines('/c'));
    writeFileSync(file, lines('/d'));
    await arrived('/a /b /c /d');
    expect(warnings.has('log shipping lost')).toBe(true);
    expect(shipper.counts().failures).toBe(0);
    await engine.stop();
  });

  test('is no warning if it was shipped', async () => {
    const { file, at, ship, arrived, warnings, engine } = await shippedLog();
    ship();
    renameSync(file, at(roll(1)));
    writeFileSync(file, lines('/b'));
    await arrived('/a /b');
    rmSync(at(roll(1)));
    appendFileSync(file, lines('/c'));
    await arrived('/a /b /c');
    expect([...warnings]).toEqual([]);
    await engine.stop();
  });
});

describe('shipping continues', () => {
  test('across rolls while it runs', async () => {
    const { file, at, ship, arrived, engine } = await shippedLog();
    ship();
    let expected = '/a';
    for (let i = 0; i < 5; i++) {
      appendFileSync(file, lines(`/last${i}`));
      renameSync(file, at(roll(i)));
      writeFileSync(file, lines(`/first${i}`));
      expected += ` /last${i} /first${i}`;
      if (i % 2 === 0) await arrived(expected);
    }
    await arrived(expected);
    await engine.stop();
  });

  test.each(['plain', 'packed', 'gzip'])(
    'in the middle of a file that was rolled meanwhile: %s',
    async (form) => {
      const { file, at, ship, arrived, engine } = await shippedLog();
      appendFileSync(file, lines('/b') + lines('/c').trimEnd());
      renameSync(file, at(roll(1)));
      writeFileSync(at(roll(2)), lines('/d'));
      if (form === 'packed') await keeperOf(file).run();
      if (form === 'gzip') {
        writeFileSync(at(`${roll(1)}.gz`), gzipSync(readFileSync(at(roll(1)))));
        rmSync(at(roll(1)));
      }
      writeFileSync(file, lines('/e'));
      const shipper = ship();
      expect((await shipper.lag()).bytes).toBeGreaterThanOrEqual(0);
      await arrived('/a /b /c /d /e');
      await engine.stop();
    },
  );

  test('after a file was truncated', async () => {
    const { file, ship, arrived, engine } = await shippedLog();
    truncateSync(file);
    ship();
    writeFileSync(file, lines('/b', '/c'));
    await arrived('/a /b /c');
    await engine.stop();
  });

  test('in batches of a megabyte', async () => {
    const { file, placeFile, engine, ship } = newLogOf();
    await until(() => existsSync(placeFile));
    writeFileSync(file, lines(...Array.from({ length: 6000 }, (_, i) => `/${i}`)));
    ship();
    await until(() => engine.accepted.length === 6000);
    const sizes = engine.requests.map((each) => each.lines.join('').length);
    expect(sizes.length).toBe(Math.ceil(sizes.reduce((sum, size) => sum + size) / 2 ** 20));
    expect(sizes.slice(0, -1).every((size) => size >= 2 ** 20 && size < 1.1 * 2 ** 20)).toBe(true);
    await engine.stop();
  });
});

/** Places a log at its end, and ships from there without breaks. */
function newLogOf() {
  const engine = startEngine();
  const log = newLog();
  writeFileSync(log.placeFile, '{"after":null,"time":0,"engine":null}');
  return { ...log, engine, ship: () => log.ship({ url: engine.url('/'), batch: 60_000 }) };
}

describe('the formats', () => {
  test('follow from the address', () => {
    expect(formatOf('https://logs.example/loki/api/v1/push')).toBe('loki');
    expect(formatOf('http://127.0.0.1:9428/insert/loki/api/v1/push?x=1')).toBe('loki');
    expect(formatOf('http://127.0.0.1:9428/insert/jsonline?_time_field=ts')).toBe('ndjson');
    expect(formatOf('http://127.0.0.1:8123/?query=x/loki/api/v1/push')).toBe('ndjson');
  });

  test.each(['loki', 'ndjson'] as const)(
    '%s: every entry of any log, and nothing else',
    async (format) => {
      const bodies: string[] = [];
      const engine = startEngine(({ headers }) => {
        bodies.push(headers.get('x-scope-orgid') ?? '');
        return 204;
      });
      const { folder, file, at, placeFile, ship } = newLog();
      writeFileSync(placeFile, '{"after":null,"time":0,"engine":null}');
      writeFileSync(at(roll(1)), anyLines(random(5), 1500, 1795212767));
      writeFileSync(file, anyLines(random(6), 1500, 1795212797));
      writeFileSync(at('headers'), 'X-Scope-OrgID: one\n', { mode: 0o600 });
      const truth = allEntries(file).reverse();
      const path = format === 'loki' ? '/loki/api/v1/push' : '/';
      ship({ url: engine.url(path), format, headersFile: at('headers') });
      await until(() => engine.accepted.length >= truth.length);
      const copy = `${folder}/copy/access.log`;
      await Bun.write(copy, engine.accepted.map((each) => `${each}\n`).join(''));
      expect(allEntries(copy).reverse()).toEqual(truth);
      expect(new Set(bodies)).toEqual(new Set(['one']));
      expect(engine.faults).toEqual([]);
      const times = engine.requests.flatMap((each) => each.times);
      const expected = truth.map(({ entry }) => Date.parse(entry.timestamp));
      // An entry without a time gets the present.
      const known = times.filter((_, i) => !Number.isNaN(expected[i]));
      if (format === 'loki') expect(known).toEqual(expected.filter((time) => !Number.isNaN(time)));
      expect(readdirSync(folder)).toContain('log-ship.json');
      await engine.stop();
    },
  );

  test('have few labels: the machine, and what it is', async () => {
    const seen: string[] = [];
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        seen.push(Buffer.from(Bun.gunzipSync(await request.arrayBuffer())).toString());
        return new Response(null, { status: 204 });
      },
    });
    const { file, placeFile, ship } = newLog();
    writeFileSync(placeFile, '{"after":null,"time":0,"engine":null}');
    writeFileSync(file, lines('/a', '/b'));
    ship({ url: `http://127.0.0.1:${server.port}/loki/api/v1/push`, format: 'loki' });
    const [body = '{}'] = await until(() => seen.length > 0 && seen);
    const { streams } = JSON.parse(body) as { streams: { stream: unknown }[] };
    expect(streams.map(({ stream }) => stream)).toEqual([{ job: 'signalbox', host: hostname() }]);
    await server.stop(true);
  });
});
