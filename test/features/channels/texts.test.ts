/** The words of messages. */
import { describe, expect, test } from 'bun:test';
import type { Delivery, Message } from '../../../src/features/channels/message.ts';
import { textOf } from '../../../src/features/channels/message.ts';
import { DROPPED } from '../../../src/hub/watch/incidents/incidents.ts';
import { EVENT_NAMES, ONE_OFF } from '../../../src/shared/events.ts';

const AT = new Date('2026-11-22T05:21:00Z');
const later = (seconds: number) => new Date(AT.getTime() + seconds * 1000);
const one = (over: Partial<Message> = {}): Message => ({
  id: 1,
  state: 'began',
  event: 'upstream.down',
  about: 'a.example',
  level: 'bad',
  message: 'b:1 does not answer.',
  at: AT,
  ...over,
});
const text = (messages: Delivery['messages'], timeZone = 'UTC') =>
  textOf({ id: 'x', messages }, timeZone);

describe('no text', () => {
  test('has a line break in its title', () => {
    const { title } = text([one({ about: 'a\r\nBcc: b\u0000' })]);
    expect(title).toBe('a Bcc: b : upstream down');
  });

  test('is longer than ntfy takes', () => {
    const { title, body } = text([one({ about: 'ü'.repeat(9999), message: '€'.repeat(9999) })]);
    expect(Buffer.byteLength(title)).toBeLessThan(1000);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(4096);
  });

  test('ends with half of an emoji', () => {
    for (const padding of ['', 'x']) {
      const emojis = padding + '😀'.repeat(9999);
      const { title, body } = text([one({ about: emojis, message: emojis })]);
      expect([title.isWellFormed(), body.isWellFormed()]).toEqual([true, true]);
    }
  });

  test('has more than twenty lines of a digest', () => {
    const { body } = text([one(), ...Array.from({ length: 30 }, () => one({ about: 'b' }))]);
    expect(body.split('\n').at(-1)).toBe('… and 11 more');
  });

  test('of a digest is cut off: it has fewer lines instead', () => {
    const down = Array.from({ length: 500 }, (_, i) => one({ about: `app${i}.example.org` }));
    const { body } = text([one(), ...down]);
    const lines = body.split('\n');
    expect(body.length).toBeGreaterThan(900);
    expect(lines.at(-1)).toBe(`… and ${502 - lines.length} more`);
    expect(lines.at(-2)).toEndWith(': upstream down');
    expect(text([one({ about: 'a'.repeat(9999) }), one()]).body).toContain('aaaa');
  });
});

test('a problem says since when it is there, in the time zone of the channel', () => {
  expect(text([one()])).toEqual({
    title: 'a.example: upstream down',
    body: 'b:1 does not answer.\n\nSince 22 Nov 2026, 05:21 UTC.',
    mood: 'bad',
  });
  expect(text([one()], 'Europe/Berlin').body).toEndWith('Since 22 Nov 2026, 06:21 CET.');
  // It was noticed later than it began.
  expect(text([one({ beganAt: later(-3_600) })]).body).toEndWith('Since 22 Nov 2026, 04:21 UTC.');
});

test.each([
  [0.2, '1 second'],
  [59, '59 seconds'],
  [60, '1 minute'],
  [3661, '1 hour, 1 minute'],
  [90_061, '1 day, 1 hour'],
  [86_400, '1 day'],
])('a problem of %d s is over after %s', (seconds, words) => {
  const { title, body, mood } = text([one({ state: 'over', at: later(seconds), beganAt: AT })]);
  expect([title, mood]).toEqual(['a.example: upstream back', 'over']);
  expect(body).toContain(`, after ${words}.\n\nIt was: b:1 does not answer.`);
});

test('one whose beginning nobody knows is over', () => {
  expect(text([one({ state: 'over' })]).body).toStartWith('Resolved at 22 Nov 2026, 05:21 UTC.');
});

test('one whose site was deleted is not said to be fixed', () => {
  const over = one({ state: 'over', message: DROPPED, at: later(60), beganAt: AT });
  expect(text([over])).toEqual({
    title: 'a.example: no longer watched',
    body: `Resolved at 22 Nov 2026, 05:22 UTC, after 1 minute.\n\n${DROPPED}`,
    mood: 'over',
  });
});

test('one that comes and goes says so', () => {
  const { title, body } = text([one({ state: 'flapping' })]);
  expect(title).toBe('a.example: upstream down (flapping)');
  expect(body).toContain('Flapping, last at 22 Nov 2026, 05:21 UTC.');
});

test('what concerns no site says what it is about', () => {
  expect(text([one({ event: 'proxy.down', about: '' })]).title).toBe('Caddy is down');
  const over = one({ event: 'proxy.down', about: '', state: 'over' });
  expect(text([over]).title).toBe('Caddy is up again');
  expect(text([one({ event: 'proxy.down', about: 'vps' })]).title).toBe('vps: Caddy is down');
  expect(text([one({ event: null, state: 'test' })]).title).toBe('Test message from signalbox');
});

test('every event has words of its own', () => {
  const titles = EVENT_NAMES.flatMap((event) =>
    (ONE_OFF.includes(event) ? (['began'] as const) : (['began', 'over'] as const)).map(
      (state) => text([one({ event, state })]).title,
    ),
  );
  expect(new Set(titles).size).toBe(EVENT_NAMES.length * 2 - ONE_OFF.length);
});

test.each<[string, Partial<Message>[], string]>([
  [
    '3 problems began, 2 resolved',
    [{}, { about: 'b' }, { state: 'flapping' }, { state: 'over' }, { about: 'c', state: 'over' }],
    'bad',
  ],
  ['1 problem began, 1 resolved', [{ state: 'over' }, { level: 'warn' }], 'warn'],
  ['1 problem began, 1 resolved', [{}, { state: 'over' }], 'over'],
  [
    '2 problems began, 1 resolved',
    [{ level: 'warn' }, { event: 'certificate.ending' }, { state: 'over' }],
    'bad',
  ],
  ['2 problems began', [{}, { about: 'b', level: 'warn' }], 'bad'],
  ['2 problems resolved', [{ state: 'over' }, { state: 'over' }], 'over'],
])('a digest: %s', (title, parts, mood) => {
  const [first, ...more] = parts.map(one);
  if (!first) throw new Error('empty');
  const digest = text([first, ...more]);
  expect([digest.title, digest.mood as string]).toEqual([title, mood]);
  expect(digest.body.split('\n').length).toBe(parts.length);
  expect(digest.body).toContain('22 Nov 2026, 05:21 UTC – a.example: ');
});
