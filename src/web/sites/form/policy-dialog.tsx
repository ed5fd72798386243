/** Makes a policy while a site is edited; the site gets it when its form is saved. */
import { useState } from 'preact/hooks';
import { send } from '../../lib/api.ts';
import type { Policy } from '../../lib/types.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SkeletonRows } from '../../parts/skeleton-rows.tsx';
import { NewPolicyForm } from '../../placement/new-policy-form.tsx';
import type { Recipe } from '../../recipes/recipes.ts';

type Props = {
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
export function PolicyDialog({ wanted, recipes, taken, onMade, onClose }: Props) {
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
          labels={{ create: 'Use this policy', busy: 'Saving …', close: 'Cancel' }}
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
          {recipe && <p class="recipe-reason">{recipe.reason ?? 'This Caddy cannot do it.'}</p>}
          <div class="actions start">
            {own.map(({ id, title: label, available, description, reason }) => (
              <button
                key={id}
                type="button"
                disabled={!available}
                title={available ? description : (reason ?? '')}
                onClick={() => setChosen(id)}
              >
                {label}
              </button>
            ))}
          </div>
        </>
      )}
    </Dialog>
  );
}
