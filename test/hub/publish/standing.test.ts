import { expect, test } from 'bun:test';
import { PACE } from '../../../src/hub/pace.ts';
import { createContention } from '../../../src/hub/publish/target/standing.ts';

test('gives way from the third time in a row on, twice as long each time, up to a minute', () => {
  let clock = 0;
  const contention = createContention(PACE.contention, () => clock);
  /** How long it waits after it has replaced something once more, in seconds. */
  const wait = () => {
    contention.replaced();
    const from = clock;
    while (contention.isWaiting()) clock += 1_000;
    return (clock - from) / 1_000;
  };
  expect([wait(), wait(), contention.warning()]).toEqual([0, 0, null]);
  expect([wait(), wait(), wait(), wait(), wait(), wait()]).toEqual([4, 8, 16, 32, 60, 60]);
  expect(contention.warning()).toContain('keeps replacing');

  clock += 600_001;
  expect(contention.warning()).toBeNull();
  expect([wait(), wait(), wait()]).toEqual([0, 0, 4]);
});
