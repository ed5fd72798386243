/** What a long answer of an agent becomes for people. */
import { expect, test } from 'bun:test';
import { openWarnings, untriedWarnings } from '../../../src/hub/http/schemas.ts';

const many = Array.from({ length: 3_000 }, (_, at) => at);

test('the upstreams that are still open are named up to a number, without control characters', () => {
  const upstream = (at: number) => `\u001b[2J${at}\u202e${'x'.repeat(at === 0 ? 10_000 : 0)}`;
  const open = many.map((at) => ({ host: 'a.example', upstream: upstream(at), requests: 1 }));
  const messages = openWarnings(open).map(({ message }) => message);
  expect(messages).toHaveLength(21);
  expect(messages.at(-1)).toBe('Connections to 2980 more upstreams were open');
  expect(messages.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(messages.join('').length).toBeLessThan(5_000);
  expect(openWarnings(open.slice(0, 20))).toHaveLength(20);
});

test('sites that could not be tried are named up to a number', () => {
  const of = (count: number) =>
    untriedWarnings(new Map(many.slice(0, count).map((at) => [`s-${at}`, 'Nobody knows'])));
  expect(of(50)).toHaveLength(50);
  expect(of(53)).toHaveLength(51);
  expect(of(53).at(-1)).toEqual({
    code: 'NOT_TRIED',
    message: 'The checks of 3 more sites ran only once the change was live.',
  });
});
