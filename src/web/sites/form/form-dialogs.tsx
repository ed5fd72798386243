/** What opens above the form of a site: a new policy, an addition to its config, or whether to delete it. */
import { useState } from 'preact/hooks';
import { send } from '../../lib/api.ts';
import type { Policy, Vhost } from '../../lib/types.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SkeletonRows } from '../../parts/loading.tsx';
import { NewPolicyForm, RecipeButtons } from '../../placement/new-policy-form.tsx';
import { withPolicy } from '../../placement/store.ts';
import type { Recipe } from '../../recipes/schema.ts';
import { AdditionDialog } from './addition-dialog.tsx';
import type { AdditionId } from './additions.ts';
import { DeleteSite } from './delete-site.tsx';
import type { Draft } from './draft.ts';

export type OpenDialog = { delete: Vhost } | { policy: string | null } | { add: AdditionId };

type Props = {
  open: OpenDialog;
  draft: Draft;
  policies: readonly Policy[];
  recipes: readonly Recipe[] | undefined;
  /** Called with a policy that was made. */
  onPolicy: (policy: Policy) => void;
  onChange: (change: Partial<Draft>) => void;
  /** Called once the site is deleted. */
  onGone: () => void;
  onClose: () => void;
};

export function FormDialogs({ open, draft, policies, recipes, onClose, ...on }: Props) {
  if ('policy' in open) {
    return (
      <PolicyDialog
        wanted={open.policy}
        recipes={recipes}
        taken={policies.map(({ name }) => name)}
        onMade={(policy) => {
          on.onPolicy(policy);
          on.onChange({ policies: withPolicy(draft.policies, policy.name, policy.recipe) });
          onClose();
        }}
        onClose={onClose}
      />
    );
  }
  if ('add' in open) {
    return (
      <AdditionDialog
        id={open.add}
        recipes={recipes}
        config={draft.config}
        upstream={draft.upstream}
        onInsert={(config) => {
          on.onChange({ config });
          onClose();
        }}
        onClose={onClose}
      />
    );
  }
  return <DeleteSite site={open.delete} onGone={on.onGone} onClose={onClose} />;
}

type PolicyDialogProps = {
  /** The id of the recipe; null lets the user choose. */
  wanted: string | null;
  /** Undefined until they are loaded. */
  recipes: readonly Recipe[] | undefined;
  /** The names of other policies. */
  taken: readonly string[];
  onMade: (policy: Policy) => void;
  onClose: () => void;
};

/** Must not be inside a `<form>`, because of its own. */
function PolicyDialog({ wanted, recipes, taken, onMade, onClose }: PolicyDialogProps) {
  const [chosen, setChosen] = useState(wanted);
  const own = (recipes ?? []).filter(({ kind }) => kind === 'policy');
  const recipe = own.find(({ id }) => id === chosen);
  const title = recipe ? `New policy: ${recipe.title}` : 'New policy';
  return (
    <Dialog title={title} onClose={onClose}>
      {recipe?.available ? (
        <NewPolicyForm
          recipe={recipe}
          taken={taken}
          labels={{ create: 'Use this policy', busy: 'Saving …' }}
          onCreate={async (fresh) => onMade(await send<Policy>('POST', '/policies', fresh))}
          onClose={onClose}
        >
          <p class="muted">
            The policy is saved now, for other sites too. This site gets it when you save the site.
          </p>
        </NewPolicyForm>
      ) : (
        <>
          {!recipes && <SkeletonRows rows={4} label="Loading" />}
          {recipe && <p class="warn">{recipe.reason ?? 'Your Caddy does not support this.'}</p>}
          <RecipeButtons recipes={own} onChoose={({ id }) => setChosen(id)} />
        </>
      )}
    </Dialog>
  );
}
