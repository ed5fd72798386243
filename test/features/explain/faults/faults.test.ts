// proof: faults
/** A house of faults: each is named, never as another one, and after the cure visitors get their page. */
import { describe, test } from 'bun:test';
import { forFile } from '../../../harness/for-file.ts';
import { limit } from '../../../harness/speed.ts';
import { startHouse } from '../house.ts';
import { ANSWER } from './answer.ts';
import { CONNECT } from './connect.ts';
import type { Fault } from './fault.ts';
import { FRONT } from './front.ts';
import { POLICY } from './policy.ts';
import { SPEAK } from './speak.ts';
import { explained } from './staged.ts';

const house = await forFile(startHouse());

describe.each<[string, readonly Fault[]]>([
  ['before a request', FRONT],
  ['of a policy', POLICY],
  ['on the way', CONNECT],
  ['of what is spoken', SPEAK],
  ['of the answer', ANSWER],
])('a fault %s', (_, faults) => {
  for (const fault of faults) {
    const run = fault.missing ? test.skip : test;
    const why = fault.missing ? ` (${fault.missing})` : '';
    run(`${fault.name}: ${fault.cause}${why}`, () => explained(house, fault), limit(60_000));
  }
});
