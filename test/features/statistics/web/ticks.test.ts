/** Where the grid of a plot has its lines. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  tickNames,
  timeTicks,
  valueTicks,
  widthOf,
} from '../../../../src/features/statistics/web/plots/ticks.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const local = (...parts: [number, number, number, number?, number?]) =>
  new Date(...parts).getTime() / 1000;
const namesOf = (from: number, to: number, room: number) =>
  timeTicks(from, to, room).times.map((time) => {
    const at = new Date(time * 1000);
    return `${at.getMonth() + 1}-${at.getDate()} ${at.getHours()}:${at.getMinutes()}`;
  });

describe('lines over time', () => {
  test('are no nearer than their names are long, however long the span is', () => {
    const from = local(2026, 10, 21, 9, 7);
    for (const span of [0.01, 0.3, 1, 59, 500, HOUR, 5 * HOUR, DAY, 9 * DAY, 90 * DAY, 900 * DAY]) {
      for (const room of [230, 1270]) {
        const { times, step } = timeTicks(from, from + span, room);
        const [name = ''] = tickNames(times, step).join('\n').split('\n');
        const least = (widthOf(name) * span) / room;
        const near = times.filter((time, at) => time - (times[at - 1] ?? -DAY) < least);
        expect([span, room, near]).toEqual([span, room, []]);
        expect(times.every((time) => time >= from && time <= from + span)).toBe(true);
        expect([span, room, times.length > 0]).toEqual([span, room, true]);
      }
    }
  });

  test('are none without room', () => {
    expect(timeTicks(local(2026, 10, 21, 9), local(2026, 10, 22, 9), 0).times).toEqual([]);
  });

  test('are at full hours, days and months of local time', () => {
    expect(namesOf(local(2026, 10, 21, 9, 7), local(2026, 10, 22, 9, 7), 400)).toEqual([
      '11-21 12:0',
      '11-21 18:0',
      '11-22 0:0',
      '11-22 6:0',
    ]);
    expect(namesOf(local(2026, 10, 28, 9), local(2026, 11, 2, 9), 400)).toEqual([
      '11-29 0:0',
      '11-30 0:0',
      '12-1 0:0',
      '12-2 0:0',
    ]);
    expect(namesOf(local(2026, 10, 28), local(2027, 2, 2), 400)).toEqual([
      '12-1 0:0',
      '1-1 0:0',
      '2-1 0:0',
      '3-1 0:0',
    ]);
  });

  test('are apart in the night in which an hour is missing, and in the one in which it is twice', () => {
    const ticks = join(import.meta.dir, '../../../../src/features/statistics/web/plots/ticks.ts');
    const hours = (month: number, day: number) => {
      const code = `import { tickNames, timeTicks } from '${ticks}';
        const from = new Date(2026, ${month}, ${day}, 0).getTime() / 1000;
        const { times, step } = timeTicks(from, from + 8 * 3600, 300);
        console.log(tickNames(times, step).map((name) => Number.parseInt(name)).join(' '));`;
      const env = { ...process.env, TZ: 'Europe/Berlin' };
      return Bun.spawnSync([process.execPath, '-e', code], { env }).stdout.toString().trim();
    };
    expect(hours(2, 29)).toBe('0 3 6 8');
    expect(hours(9, 25)).toBe('0 2 4 6');
    expect(hours(10, 21)).toBe('0 2 4 6 8');
  });

  test('stay where they are while the span moves', () => {
    const from = local(2026, 10, 21);
    const days = (days: number) =>
      timeTicks(from + days * DAY, from + (days + 20) * DAY, 400).times;
    expect(days(3).filter((time) => time <= from + 20 * DAY)).toEqual(
      days(0).filter((time) => time >= from + 3 * DAY),
    );
  });
});

describe('lines of values', () => {
  test('are at whole numbers where nothing is between those', () => {
    expect(valueTicks(1, 130, 1)).toEqual([0, 1]);
    expect(valueTicks(3.24, 130, 1)).toEqual([0, 1, 2, 3]);
  });

  test('are at round numbers, and few in a low plot', () => {
    expect(valueTicks(864, 130, 1)).toEqual([0, 200, 400, 600, 800]);
    expect(valueTicks(972, 48, 1)).toEqual([0, 500]);
    expect(valueTicks(12.4, 68, 0.1)).toEqual([0, 5, 10]);
  });
});
