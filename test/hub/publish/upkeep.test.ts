/** When what a proxy refuses as a whole is tried again. A stand-in for its gateway, which takes no seconds. */
import { expect, test } from 'bun:test';
import { EMPTY_SET, type SiteSet } from '../../../src/hub/model/vhost.ts';
import type { Gateway } from '../../../src/hub/publish/target/gateway.ts';
import { createLeftOut } from '../../../src/hub/publish/target/left-out.ts';
import { createUpkeep } from '../../../src/hub/publish/target/upkeep.ts';
import { Failure } from '../../../src/shared/failure.ts';

const PACE = { first: 2_000, longest: 15_000, longestLoad: 600_000 };

function start() {
  const known = { time: 0, set: EMPTY_SET, tries: 0, refuses: true };
  const refusal = new Failure('PROXY_REJECTED', 'no', { at: { preamble: { line: 1 } } });
  const refuse = async () => {
    known.tries++;
    if (known.refuses) throw refusal;
    return [];
  };
  const gateway = {
    publish: refuse,
    findBroken: async () => Promise.reject(refusal),
    digestOf: (set: SiteSet) => set.preamble,
  } as unknown as Gateway;
  const clock = () => known.time;
  const upkeep = createUpkeep({
    gateway,
    leftOut: createLeftOut(() => {}, clock, PACE),
    pace: PACE,
    clock,
    startTimer: () => () => {},
    stored: () => known.set,
    store: { mayReplace: () => false, markOwner() {} },
  });
  const look = () => upkeep.look(() => false, {}).catch((error: unknown) => error);
  return { known, upkeep, look, refusal };
}

test('that is at growing intervals, and each look in between says why', async () => {
  const { known, upkeep, look, refusal } = start();
  const triedAt: number[] = [];
  for (; known.time <= 60_000; known.time += 500) {
    const before = known.tries;
    expect(await look()).toBe(refusal);
    if (known.tries > before) triedAt.push(known.time);
  }
  expect(triedAt).toEqual([0, 2_000, 6_000, 14_000, 29_000, 44_000, 59_000]);
  expect(upkeep.failure()).toBe(refusal);
});

test('another set is tried at once, and so is what may be live', async () => {
  const { known, upkeep, look } = start();
  await look();
  await look();
  expect(known.tries).toBe(1);
  known.set = { ...EMPTY_SET, preamble: 'other' };
  await look();
  expect(known.tries).toBe(2);
  upkeep.markUnknown();
  known.refuses = false;
  expect(await look()).toBeUndefined();
  expect([known.tries, upkeep.failure()]).toEqual([3, null]);
});
