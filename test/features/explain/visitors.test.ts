/** Visitors of a trial, by the networks that a config names. */
import { expect, test } from 'bun:test';
import { rangesInTrial, visitorsFrom } from '../../../agent/features/explain/visitors.ts';
import { networksIn } from '../../../agent/sites/networks.ts';

test('what is no address, or known only at a request, is nobody’s', () => {
  expect(visitorsFrom([])).toEqual([]);
  expect(visitorsFrom(['{env.LAN}']).map(({ network }) => network)).toEqual(['other networks']);
  const ranges = ['10.0.0.0/8', '{env.LAN}'];
  expect(rangesInTrial(ranges, visitorsFrom(ranges))).toEqual(ranges);
});

test('a header of the name of a matcher names no networks', () => {
  expect(networksIn({ set: { remote_ip: ['10.0.0.0/8'] } })).toEqual([]);
});

test('each network has an address in the trial, and this machine its own', () => {
  const visitors = visitorsFrom(['10.77.0.0/16', 'fd77::/64']);
  const [other = '', four = '', six = ''] = visitors.map(({ from }) => from);
  expect(rangesInTrial(['10.0.0.0/8'], visitors)).toEqual([four]);
  expect(rangesInTrial(['fd00::/8', '127.0.0.0/8'], visitors)).toEqual(['127.0.0.1', six]);
  expect(rangesInTrial(['0.0.0.0/0'], visitors)).toEqual(['127.0.0.1', other, four]);
  expect(rangesInTrial(['192.168.0.0/16'], visitors)).toEqual([]);
});
