/** The made-up visitors: the same each time, in order, and never too many. */
import { expect, test } from 'bun:test';
import { SITES } from '../../../src/features/demo/cli/house.ts';
import { visitsBetween } from '../../../src/features/demo/cli/visitors.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-20T18:30:10.500Z');
const read = (from: number, to: number) => visitsBetween(START + from, START + to, START);

type Entry = { ts: number; status: number; request: { host: string; remote_ip: string } };
const entriesOf = (text: string): Entry[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const week = read(-168 * HOUR, 0);
const entries = entriesOf(week);

test('nobody comes twice or is lost between two moments, however they are asked for', () => {
  const parts = [-168, -100.37, -100.36, -12, 0].map((hours) => hours * HOUR);
  expect(
    parts
      .slice(1)
      .map((to, at) => read(parts[at] ?? 0, to))
      .join(''),
  ).toBe(week);
  expect(read(0, 0)).toBe('');
});

test('they come in order, to all sites but those that are off, and no more than 50 MB', () => {
  const times = entries.map(({ ts }) => ts);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThanOrEqual((START - 168 * HOUR) / 1_000);
  expect(times.at(-1)).toBeLessThan(START / 1_000);
  const hosts = new Set(entries.map(({ request }) => request.host));
  expect([...hosts].toSorted()).toEqual(SITES.map(({ name }) => `${name}.home.example`).toSorted());
  expect(entries.length).toBeGreaterThan(20_000);
  // Caddy would rotate the file.
  expect(week.length).toBeLessThan(50_000_000);
});

test('a dead service fails for hours, one that is failing from the start on, and all addresses are made up', () => {
  const errors = (name: string, all: Entry[]) =>
    all.filter(({ status, request }) => status >= 500 && request.host === `${name}.home.example`);
  const first = errors('printer', entries)[0]?.ts ?? 0;
  expect(first).toBeGreaterThan(START / 1_000 - 5 * 3_600);
  expect(errors('tv', entries)).toEqual([]);
  expect(errors('tv', entriesOf(read(0, 3 * HOUR))).length).toBeGreaterThan(0);
  const madeUp = /^(192\.168\.1|203\.0\.113|198\.51\.100)\.\d+$/;
  expect(entries.filter(({ request }) => !madeUp.test(request.remote_ip))).toEqual([]);
});
