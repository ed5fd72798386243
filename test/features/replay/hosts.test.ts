/** Which routes may answer to a host. */
import { expect, test } from 'bun:test';
import { concern } from '../../../agent/features/replay/config/hosts.ts';

test.each<[string[] | null, string[], boolean]>([
  [['a.example'], ['b.example'], false],
  [['a.example'], ['*.other'], false],
  [['*.example'], ['a.other'], false],
  [['a.example'], ['a.example'], true],
  [['a.example'], ['*.example'], true],
  [['*.example'], ['a.example'], true],
  [['a.example'], ['{env.NAME}'], true],
  [['a.example'], [''], true],
  [[''], ['b.example'], true],
  [null, ['b.example'], true],
])('routes that concern a change of %j, those of %j: %p', (hosts, names, expected) => {
  expect(concern(hosts)(new Set(names))).toBe(expected);
});
