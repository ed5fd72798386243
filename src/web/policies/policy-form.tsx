/** The form of a policy: its name, its values and the sites that have it. */
import { useRef, useState } from 'preact/hooks';
import { request } from '../lib/api.ts';
import { setFlash } from '../lib/flash.ts';
import { plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { navigate, useLeaveGuard } from '../lib/router.ts';
import type { Vhost } from '../lib/types.ts';
import { useSaveKey } from '../lib/use-key.ts';
import { submitWith } from '../lib/use-submit.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Notice } from '../parts/notice.tsx';
import { RefusedNotice } from '../parts/refused-notice.tsx';
import { faultOf, isShownAt } from '../placement/fault.ts';
import { NameField } from '../placement/name-field.tsx';
import type { StoredPolicy } from '../placement/store.ts';
import { RecipeForm } from '../recipes/recipe-form.tsx';
import type { Recipe } from '../recipes/recipes.ts';
import { isFilled, type Values } from '../recipes/schema.ts';
import { ConflictChoice } from '../sites/conflict.tsx';
import { PreviewPanel } from '../sites/preview-panel.tsx';
import { useFaultInView } from '../sites/use-form-view.ts';
import { useVerdict } from '../sites/use-preview.ts';
import { Moves } from './moves.tsx';
import { PolicyText } from './policy-text.tsx';
import { SitePicker } from './site-picker.tsx';
import { isEdited, movesOf, type PolicyDraft, usePolicySave } from './use-policy-save.ts';

type Props = {
  recipe: Recipe;
  stored: StoredPolicy | null;
  start: { name: string; values: Values };
  sites: readonly Vhost[];
  /** Called with the policy after each save. */
  onStored: (stored: StoredPolicy) => void;
};

export function PolicyForm({ recipe, stored, start, sites, onStored }: Props) {
  const { refresh } = useHub();
  const policy = stored?.policy ?? null;
  const before = policy?.vhosts ?? [];
  const [draft, setDraft] = useState<PolicyDraft>({ ...start, picked: new Set(before) });
  const [saved, setSaved] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const moves = movesOf(before, draft.picked);
  const edited = isEdited(policy ?? start, draft);
  const dirty = edited || moves.on.length + moves.off.length > 0;

  const save = usePolicySave(recipe, draft, (now) => {
    const { name, values } = now.policy;
    setSaved(true);
    setDraft((old) => ({ ...old, name, values }));
    if (!policy) setFlash({ kind: 'success', text: doneWords(name, draft.picked.size) });
    refresh();
    onStored(now);
  });
  const { busy, error, run, theirs } = save;
  const fault = faultOf(error);
  const isComplete = draft.name !== '' && isFilled(recipe.fields, draft.values);
  const { name, values } = draft;
  const verdict = useVerdict(
    policy && edited && isComplete ? { op: 'policy', id: policy.id, name, values } : null,
  );

  const form = useRef<HTMLFormElement>(null);
  useSaveKey(() => form.current?.requestSubmit());
  useFaultInView(form, error);
  useLeaveGuard(dirty && !busy && !saved, 'Your changes will be lost.');
  const set = (change: Partial<PolicyDraft>) => {
    setDraft((old) => ({ ...old, ...change }));
    save.clear();
    setSaved(false);
  };
  const adopt = (now: StoredPolicy) => {
    const { name, values, vhosts } = now.policy;
    setDraft({ name, values, picked: new Set(vhosts) });
    onStored(now);
    save.forgetTheirs();
    save.clear();
  };
  const remove = async () => {
    await request(`/policies/${policy?.id}`, { method: 'DELETE', ifMatch: stored?.etag });
    setSaved(true);
    setFlash({ kind: 'success', text: `The policy ${policy?.name} is deleted.` });
    refresh();
    navigate('/policies', { replace: true });
  };
  const canSave = !busy && !theirs && (policy === null || dirty);
  const isPlaced = isShownAt(fault, recipe.fields);

  return (
    <div class="site-form">
      <form ref={form} onSubmit={submitWith(() => canSave && run(stored))}>
        <NameField
          name={name}
          fault={fault}
          isUsed={before.length > 0}
          onChange={(name) => set({ name })}
        />
        <RecipeForm
          fields={recipe.fields}
          values={values}
          stored={policy?.values}
          fault={fault}
          onChange={(values) => set({ values })}
        />
        {sites.length > 0 && (
          <SitePicker sites={sites} picked={draft.picked} onChange={(picked) => set({ picked })} />
        )}
        {theirs && (
          <div class="notice notice-warning" role="alert">
            <strong>
              Someone else changed this policy, or its sites, while you were editing it
            </strong>
            <p>If you keep your changes, the policy and its sites become as they are here.</p>
          </div>
        )}
        {error !== null && !isPlaced && !theirs && <RefusedNotice error={error} />}
        {saved && !dirty && policy && <Notice kind="success">Saved.</Notice>}
        <div class="save-bar">
          {theirs ? (
            <ConflictChoice onDiscard={() => adopt(theirs)} onKeep={() => run(theirs)} />
          ) : (
            <>
              {policy && (
                <button type="button" onClick={() => setDeleting(true)}>
                  Delete …
                </button>
              )}
              {/* Not `disabled`, which would lose the focus on every save. */}
              <button type="submit" class="primary" aria-disabled={!canSave}>
                {busy ? 'Publishing …' : policy ? 'Save and publish' : 'Create and publish'}
              </button>
            </>
          )}
        </div>
      </form>
      <div>
        {policy ? (
          <PreviewPanel verdict={verdict} />
        ) : (
          <PolicyText recipe={recipe} values={isComplete ? values : null} />
        )}
        <Moves moves={moves} sites={sites} />
      </div>
      {deleting && before.length > 0 && (
        <Dialog title={`The policy ${policy?.name} is in use`} onClose={() => setDeleting(false)}>
          <p>
            It is on {plural(before.length, 'site')}. To delete it, untick all sites and save first.
          </p>
          <div class="actions">
            <button type="button" onClick={() => setDeleting(false)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
      {deleting && policy && before.length === 0 && (
        <Confirm
          title={`Delete the policy ${policy.name}?`}
          action="Delete policy"
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          <p>You can restore it from the changelog.</p>
        </Confirm>
      )}
    </div>
  );
}

const doneWords = (name: string, sites: number): string =>
  `The policy ${name} is ${sites > 0 ? `live on ${plural(sites, 'site')}` : 'saved'}.`;
