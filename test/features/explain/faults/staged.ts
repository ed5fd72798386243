/** Stages a fault in a house, explains it, and carries out the cure. */
import { expect } from 'bun:test';
import type { Explanation } from '../../../../src/features/explain/schemas.ts';
import { CAUSE_WORDS, STEPS } from '../../../../src/features/explain/words.ts';
import { until } from '../../../harness/stack.ts';
import type { House } from '../house.ts';
import type { Fault, Stage } from './fault.ts';

/** @throws Error if what is said is wrong, or the cure does not help */
export async function explained(house: House, fault: Fault): Promise<void> {
  const stage = await fault.stage(house.place);
  const { site, path } = stage;
  const made = await house.add(site);
  if (stage.isSettledBy) await house.settled(made.id);
  const fair: string[] = [fault.cause, fault.warned ?? fault.cause];
  // Said of every upstream that is down, if the cause comes too late for the answer.
  if (CAUSE_WORDS[fault.cause].step === 'connect') fair.push('UPSTREAM_DOWN');
  expect(made.warnings.filter(({ code }) => !fair.includes(code))).toEqual([]);
  const visit = stage.visit ?? (() => house.visit(made.domain, path));
  if (stage.visit || !fault.isSilent) expect(await visit()).not.toBe(200);
  const explanation = await house.explain({ vhost: made.id }, path);
  judged(fault, explanation);
  if (!(await cured(house, fault, stage, made.id, explanation))) return;
  await until(async () => (await visit()) === 200, 'a visitor who gets 200');
  const after = await house.explain({ vhost: made.id }, path);
  expect([after.verdict, after.cause, after.words]).toEqual(['works', null, expect.any(String)]);
}

/** @returns whether there was something to do */
async function cured(
  house: House,
  { hasOperation }: Fault,
  { mend, instead }: Stage,
  id: number,
  { cure }: Explanation,
): Promise<boolean> {
  if (hasOperation) {
    if (!cure?.operation) throw new Error(`no operation: ${JSON.stringify(cure)}`);
    await house.carryOut(cure.operation);
    return true;
  }
  expect(cure?.operation ?? null).toBeNull();
  await mend?.();
  if (instead) await house.change(id, instead);
  return mend !== undefined || instead !== undefined;
}

/** @throws Error if the explanation does not hold together, or names something else */
export function judged(
  { cause, names }: Pick<Fault, 'cause' | 'names'>,
  explanation: Explanation,
): void {
  const { verdict, step, words, cure, steps } = explanation;
  const said = JSON.stringify(explanation, null, 1);
  expect(steps.map((one) => one.step)).toEqual([...STEPS]);
  expect([verdict, step, explanation.cause, said]).toEqual([
    'fails',
    CAUSE_WORDS[cause].step,
    cause,
    expect.any(String),
  ]);
  expect(steps.find((one) => one.ok === false)?.step).toBe(CAUSE_WORDS[cause].step);
  expect(cure?.words ?? '').not.toBe('');
  // A page does not come by way of what is spoken wrongly.
  if (CAUSE_WORDS[cause].step === 'speak') expect(steps.at(-1)?.ok).not.toBe(true);
  if (names) expect(`${words}\n${cure?.words}`).toMatch(names);
}
