/** Reads and changes policies, and puts them on sites. */
import { ApiError, send, wordsOf } from '../lib/api.ts';
import { type Relabelled, relabel } from '../lib/relabel.ts';
import type { Policy } from '../lib/types.ts';
import type { Values } from '../recipes/schema.ts';
import { withPolicy } from './words.ts';

export type NewPolicy = { name: string; recipe: string; values: Values };

/** Puts a policy on sites, and takes it off others. @throws ApiError; no site is changed then */
export const place = (
  { name, recipe }: Pick<Policy, 'name' | 'recipe'>,
  on: readonly number[],
  off: readonly number[] = [],
): Promise<Relabelled> =>
  relabel([...on, ...off], ({ id, policies }) => ({
    policies: off.includes(id)
      ? policies.filter((one) => one !== name)
      : withPolicy(policies, name, recipe),
  }));

/**
 * Creates a policy and puts it on sites. These are two changes: if the second is refused, the policy is
 * deleted again.
 * @throws ApiError; Error if the policy stays, on no site
 */
export async function createOn(
  fresh: NewPolicy,
  ids: readonly number[],
): Promise<{ policy: Policy; placed: Relabelled }> {
  const policy = await send<Policy>('POST', '/policies', fresh);
  try {
    const placed = await place(fresh, ids);
    const revert = async () => {
      await placed.undo();
      await send('DELETE', `/policies/${policy.id}`);
    };
    return { policy, placed: { ...placed, undo: revert } };
  } catch (reason) {
    await cleanUp(reason, fresh.name, () => send('DELETE', `/policies/${policy.id}`));
    throw reason;
  }
}

/** Reverts the first of two changes whose second was refused. @throws Error if that fails as well */
export async function cleanUp(
  reason: unknown,
  name: string,
  revert: () => Promise<unknown>,
): Promise<void> {
  // Nobody knows what became of a request without an answer.
  const isOpen = reason instanceof ApiError && reason.status === 0;
  const isReverted =
    !isOpen &&
    (await revert().then(
      () => true,
      () => false,
    ));
  if (isReverted) return;
  throw new Error(`The policy ${name} was saved, but is not on the sites. ${wordsOf(reason)}`);
}
