/** The form made from a recipe's schema: what it shows, and where a fault goes. */
import { expect, test } from 'bun:test';
import {
  faultIn,
  fieldsOf,
  linesOf,
  placeholderOf,
  sentence,
  withValue,
  wordsAt,
  wordsInList,
} from '../../src/web/recipes/schema.ts';

const message = 'The field "networks.1" is invalid: It must be an IP address.';

test('a fault belongs to the field that its path names, and to no other', () => {
  const fault = { field: 'users.0.password', message: 'It is missing.' };
  expect(faultIn(fault, 'user')).toBeNull();
  expect(faultIn(fault, 'networks')).toBeNull();
  expect(faultIn(null, 'users')).toBeNull();
  expect(faultIn(fault, 'users')?.field).toBe('0.password');
  expect(faultIn(faultIn(faultIn(fault, 'users'), '0'), 'password')?.field).toBe('');
  expect(faultIn(faultIn(fault, 'users'), '1')).toBeNull();
});

test('a fault is shown without its path, and in a list with the text at fault', () => {
  expect(wordsAt({ field: '', message })).toBe('It must be an IP address.');
  expect(wordsAt({ field: '', message: 'It is missing.' })).toBe('It is missing.');
  expect(wordsInList({ field: '1', message }, ['10.0.0.1', 'ada'])).toBe(
    'ada: It must be an IP address.',
  );
  expect(wordsInList({ field: '', message }, ['ada'])).toBe('It must be an IP address.');
});

test('hashes are not in the form', () => {
  const schema = {
    required: ['name'],
    properties: { name: { format: 'user-name' }, hash: { format: 'bcrypt' } },
  };
  expect(fieldsOf(schema)).toEqual([
    { name: 'name', schema: { format: 'user-name' }, isRequired: true },
  ]);
});

test('names may contain spaces; networks are divided by them', () => {
  expect(linesOf(' Ada Lovelace \n\nGrace\n')).toEqual(['Ada Lovelace', 'Grace']);
  expect(linesOf('10.0.0.1, 10.0.0.2\n::1 ', { format: 'network' })).toEqual([
    '10.0.0.1',
    '10.0.0.2',
    '::1',
  ]);
});

test('an empty field shows its default, or else an example', () => {
  expect(placeholderOf({})).toBe('');
  expect(placeholderOf({ default: 403, examples: [404] })).toBe('403');
  expect(placeholderOf({ default: ['a', 'b'] })).toBe('a\nb');
  expect(placeholderOf({ examples: ['localhost:9091', 'localhost:1'] })).toBe('localhost:9091');
  expect(
    placeholderOf({ items: { examples: ['192.168.1.0/24'] }, examples: [['private_ranges']] }),
  ).toBe('192.168.1.0/24\nprivate_ranges');
});

test('an emptied value is left out, and descriptions become sentences', () => {
  expect(withValue({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
  expect(withValue({ a: 1 }, 'a', 0)).toEqual({ a: 0 });
  expect(sentence('where it listens')).toBe('Where it listens.');
  expect(sentence('Really?')).toBe('Really?');
  expect(sentence('')).toBe('');
});
