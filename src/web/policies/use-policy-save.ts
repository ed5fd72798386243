/** Saves a policy and where it is: at most two changes. */
import { useState } from 'preact/hooks';
import { ApiError, request, sentenceOf } from '../lib/api.ts';
import type { Policy } from '../lib/types.ts';
import { type Submit, useSubmit } from '../lib/use-submit.ts';
import { createOn, loadPolicy, place, type StoredPolicy } from '../placement/store.ts';
import type { Recipe } from '../recipes/recipes.ts';
import type { Values } from '../recipes/schema.ts';

export type PolicyDraft = { name: string; values: Values; picked: ReadonlySet<number> };

export type PolicySave = Submit<[over: StoredPolicy | null]> & {
  /** The policy as someone else has changed it meanwhile. */
  theirs: StoredPolicy | null;
  forgetTheirs: () => void;
};

/** Whether name or values differ from the stored ones. */
export const isEdited = (
  { name, values }: Pick<Policy, 'name' | 'values'>,
  draft: PolicyDraft,
): boolean => name !== draft.name || JSON.stringify(values) !== JSON.stringify(draft.values);

/** The ids of the sites that get it, and of those that lose it. */
export const movesOf = (vhosts: readonly number[], picked: ReadonlySet<number>) => ({
  on: [...picked].filter((id) => !vhosts.includes(id)),
  off: vhosts.filter((id) => !picked.has(id)),
});

/** @param onSaved called with the policy as it is stored now */
export function usePolicySave(
  recipe: Recipe,
  draft: PolicyDraft,
  onSaved: (stored: StoredPolicy) => void,
): PolicySave {
  const [theirs, setTheirs] = useState<StoredPolicy | null>(null);
  const submit = useSubmit(async (over: StoredPolicy | null) => {
    const { name, values, picked } = draft;
    const fresh = { name, recipe: recipe.id, values };
    if (over === null) {
      const { policy } = await createOn(fresh, [...picked]);
      onSaved({ policy, etag: undefined });
      return;
    }
    const { policy, etag } = over;
    let current = over;
    try {
      if (isEdited(policy, draft)) {
        const answer = await request<Policy>(`/policies/${policy.id}`, {
          method: 'PUT',
          body: { name, values },
          ifMatch: etag,
        });
        current = { policy: answer.body, etag: answer.etag };
      }
    } catch (reason) {
      if (reason instanceof ApiError && reason.code === 'PRECONDITION_FAILED') {
        setTheirs(await loadPolicy(policy.id).catch(() => null));
      }
      throw reason;
    }
    const { on, off } = movesOf(policy.vhosts, picked);
    try {
      if (on.length + off.length > 0) await place(fresh, on, off);
    } catch (reason) {
      if (current === over) throw reason;
      onSaved(current);
      throw new Error(`The policy was saved, but not its sites. ${sentenceOf(reason)}`);
    }
    setTheirs(null);
    onSaved(on.length + off.length > 0 ? await loadPolicy(policy.id) : current);
  });
  return { ...submit, theirs, forgetTheirs: () => setTheirs(null) };
}
