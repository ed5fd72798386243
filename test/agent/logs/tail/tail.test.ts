import { describe, expect, test } from 'bun:test';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { parsePosition } from '../../../../agent/logs/files/log-position.ts';
import type { readEvents, ServerEvent } from '../../../harness/events.ts';
import { until } from '../../../harness/stack.ts';
import { line } from '../lines.ts';
import { uniqueLines as lines, temporaryTails, uniqueLine } from './tailing.ts';

const tailing = temporaryTails();

const pathOf = (event: ServerEvent | undefined): string => JSON.parse(event?.data ?? '{}').path;
async function paths(events: ReturnType<typeof readEvents>, count: number): Promise<string> {
  const found: string[] = [];
  while (found.length < count) found.push(pathOf(await events.of('entry')));
  return found.join(' ');
}

/** One of a log that was there before. */
async function following(query: object = {}, options: Parameters<typeof tailing>[0] = {}) {
  const log = tailing(options);
  writeFileSync(log.file, lines('/old'));
  const events = log.open(query);
  const { id = '' } = (await events.begun()) ?? {};
  return { ...log, events, id };
}

describe('a tail', () => {
  test('starts with what is written after it was opened, and says where that is', async () => {
    const { file, open } = tailing();
    writeFileSync(file, lines('/old') + line().slice(0, 50));
    const events = open();
    const { id = '' } = (await events.begun()) ?? {};
    expect(parsePosition(id)?.offset).toBe(lines('/old').length);
    appendFileSync(file, `\nnot an entry\n${lines('/a', '/b')}${line().slice(0, 99)}`);
    expect(await paths(events, 2)).toBe('/a /b');
  });

  test('waits for the folder, the file and the first line', async () => {
    const { folder, file, open } = tailing();
    rmSync(folder, { recursive: true });
    const events = open();
    await events.next();
    const first = events.of('entry');
    await Bun.sleep(50);
    mkdirSync(folder);
    writeFileSync(file, '');
    await Bun.sleep(50);
    appendFileSync(file, lines('/first'));
    expect(pathOf(await first)).toBe('/first');
  });

  test('sends only the entries that match', async () => {
    const some = { domain: 'B.example', method: 'GET', path: '/y' };
    const { file, events } = await following({ ...some, statusClass: 2, userAgent: 'curl' });
    const headers = { 'User-Agent': ['wget/1.21'] };
    appendFileSync(file, `${line({ request: { uri: '/y0', headers } })}\n`);
    appendFileSync(file, lines('/x1', '/y1'));
    appendFileSync(file, `${line({ status: 404, request: { uri: '/y2' } })}\n`);
    appendFileSync(file, `${line({ request: { host: 'a.example', uri: '/y3' } })}\n`);
    appendFileSync(file, lines('/y4'));
    expect(await paths(events, 2)).toBe('/y1 /y4');
  });

  test.each(['plain', 'gzip'] as const)('continues across rolls (%s)', async (form) => {
    const { file, roll, events } = await following();
    const expected: string[] = [];
    for (let i = 0; i < 60; i++) {
      const [a, b] = [`/${i}a`, `/${i}b`];
      expected.push(a, b);
      appendFileSync(file, lines(a, b));
      if (i % 3 === 0) roll(form);
      if (i % 12 === 0) roll(form);
      if (i % 7 === 0) await Bun.sleep(30);
    }
    expect(await paths(events, 120)).toBe(expected.join(' '));
  });

  test('continues when the file is truncated', async () => {
    const { file, open } = tailing();
    writeFileSync(file, lines('/old', '/older'));
    const events = open();
    await events.begun();
    appendFileSync(file, lines('/a'));
    expect(await paths(events, 1)).toBe('/a');
    writeFileSync(file, lines('/b'));
    expect(await paths(events, 1)).toBe('/b');
  });

  test('sends long lines', async () => {
    const { file, events } = await following();
    const long = `/${'x'.repeat(3_000_000)}`;
    appendFileSync(file, lines('/a', long, '/b'));
    const found = (await paths(events, 3)).split(' ');
    expect(found.map((path) => path.length)).toEqual([2, long.length, 2]);
  });
});

describe('resuming', () => {
  test.each(['plain', 'gzip'] as const)(
    'after an event loses and repeats nothing, in another process and after rolls (%s)',
    async (form) => {
      const { events, ...first } = await following();
      appendFileSync(first.file, lines('/a', '/b', '/c'));
      await events.of('entry');
      const { id = '' } = (await events.of('entry')) ?? {};
      await events.close();
      appendFileSync(first.file, lines('/d') + uniqueLine('/e'));
      first.roll(form);
      appendFileSync(first.file, lines('/f', '/g'));
      first.roll(form);
      appendFileSync(first.file, lines('/h'));
      const rest = tailing({}, first.folder).open({}, id);
      appendFileSync(first.file, lines('/i'));
      expect(await paths(rest, 7)).toBe('/c /d /e /f /g /h /i');
    },
  );

  test('after an event whose segment has been removed sends a gap', async () => {
    const { file, open, roll, events } = await following();
    appendFileSync(file, lines('/a'));
    const { id = '' } = (await events.of('entry')) ?? {};
    roll('nothing');
    appendFileSync(file, lines('/lost'));
    const rest = open({}, id);
    expect(await rest.of('gap')).toMatchObject({ data: '{"missed":null}' });
    await rest.begun();
    appendFileSync(file, lines('/b'));
    expect(await paths(rest, 1)).toBe('/b');
  });
});

describe('a slow reader', () => {
  test('misses entries when it falls too far behind, and receives their number', async () => {
    const { file, open } = tailing({ maxLag: 300_000 });
    writeFileSync(file, lines('/old'));
    /** Stops reading after `pause` ms. @returns the entries read and missed, or null if none was missed */
    async function fallBehind(pause: number): Promise<[seen: number, missed: number] | null> {
      const events = open({ path: '/n' });
      await events.begun();
      appendFileSync(file, lines('/n0'));
      expect(await paths(events, 1)).toBe('/n0');
      const next = events.next();
      await Bun.sleep(pause);
      // Nothing reads the stream now, so these entries are only in the file.
      for (let i = 0; i < 40; i++) {
        appendFileSync(file, lines(...Array.from({ length: 50 }, () => '/other')));
        appendFileSync(file, lines(...Array.from({ length: 50 }, () => '/n')));
      }
      let seen = 1;
      expect(pathOf(await next)).toBe('/n');
      while (seen < 2000) {
        const event = await events.next();
        expect(event).toBeDefined();
        if (event?.event === 'entry') seen++;
        if (event?.event !== 'gap') continue;
        expect(event.id).toBeString();
        appendFileSync(file, lines('/n1'));
        expect(await paths(events, 1)).toBe('/n1');
        return [seen, JSON.parse(event.data ?? '').missed];
      }
      return null;
    }
    // One that has not caught up yet misses nothing: then it was given too little time.
    let behind: Awaited<ReturnType<typeof fallBehind>> = null;
    for (let pause = 60; behind === null; pause *= 2) behind = await fallBehind(pause);
    expect(behind[0] + behind[1]).toBe(2000);
    expect(behind[0]).toBeLessThan(500);
  });

  test('that resumes after an event receives everything, however far behind it is', async () => {
    const { file, open, id } = await following({}, { maxLag: 1000 });
    appendFileSync(file, lines(...Array.from({ length: 2000 }, () => '/n')));
    expect(await paths(open({}, id), 2000)).toBe(Array(2000).fill('/n').join(' '));
  });
});

describe('several tails', () => {
  test('each receive only what matches', async () => {
    const { file, open, roll, handles } = tailing();
    writeFileSync(file, lines('/old'));
    const some = Array.from({ length: 6 }, (_, n) => open(n < 3 ? {} : { path: '/a' }));
    for (const events of some) await events.begun();
    for (const round of [1, 2]) {
      appendFileSync(file, lines('/b', '/a'));
      roll();
      appendFileSync(file, lines('/a', '/b'));
      for (const [n, events] of some.entries()) {
        expect(await paths(events, n < 3 ? 4 : 2)).toBe(n < 3 ? '/b /a /a /b' : '/a /a');
      }
      if (round === 2) break;
      await some.shift()?.close();
      some.unshift(open());
      await some[0]?.begun();
    }
    const waiting = some.map((events) => events.of('entry'));
    await until(() => handles() === some.length);
    for (const events of some) await events.close();
    await Promise.all(waiting);
    await until(() => handles() === 0);
  });

  test('lose and repeat nothing, whenever they begin, however slowly they read', async () => {
    const { file, open, roll } = tailing();
    writeFileSync(file, lines('/old'));
    const COUNT = 1500;
    let written = 0;
    const write = () => appendFileSync(file, lines(`/${written++}`));
    /** The numbers that a tail receives, from when it begins to the last one. */
    async function numbers(slow: boolean, after = ''): Promise<number[]> {
      const events = open({}, after);
      const found: number[] = [];
      for (;;) {
        const event = await events.of('entry');
        const number = Number(pathOf(event).slice(1));
        found.push(number);
        if (number === COUNT - 1) return found;
        if (slow && number % 50 === 0) await Bun.sleep(5);
        if (after === '' && found.length === 100) {
          return [...found, ...(await numbers(slow, event?.id))];
        }
      }
    }
    const readers: Promise<number[]>[] = [];
    while (written < COUNT) {
      if (written % 100 === 0 && written < COUNT - 200) {
        readers.push(numbers(written % 200 === 0));
      }
      if (written % 333 === 332) roll(written % 2 === 0 ? 'plain' : 'gzip');
      write();
      if (written % 10 === 0) await Bun.sleep(1);
    }
    for (const found of await Promise.all(readers)) {
      const [first = COUNT] = found;
      expect(found).toEqual(Array.from({ length: COUNT - first }, (_, n) => first + n));
    }
  });
});

describe('ending', () => {
  test('one tail closes its file', async () => {
    const { handles, events } = await following();
    const waiting = events.next();
    await until(() => handles() === 1);
    await events.close();
    await waiting;
    await until(() => handles() === 0);
  });

  test('all tails also ends those opened later', async () => {
    const { file, tails, open, handles } = tailing();
    writeFileSync(file, lines('/old'));
    const [one, other] = [open(), open({ q: 'x' })];
    await one.begun();
    await other.begun();
    const ends = [one.of('entry'), other.of('entry')];
    tails.end();
    expect(await Promise.all(ends)).toEqual([undefined, undefined]);
    expect(await open().of('entry')).toBeUndefined();
    await until(() => handles() === 0);
  });

  test('is not assumed during silence: a heartbeat carries the position', async () => {
    const { file, events, id } = await following({ q: 'nothing' }, { heartbeat: 20 });
    const beat = await events.next();
    expect(beat).toEqual({ comment: 'still here' });
    appendFileSync(file, lines('/a'));
    const next = await events.begun();
    expect(next?.comment).toBe('still here');
    expect(next?.id).not.toBe(id);
  });
});
