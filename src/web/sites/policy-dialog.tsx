/** Makes a policy while a site is edited; the site gets it when its form is saved. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { send } from '../lib/api.ts';
import type { Policy } from '../lib/types.ts';
import { submitWith, useSubmit } from '../lib/use-submit.ts';
import { Dialog } from '../parts/dialog.tsx';
import { RefusedNotice } from '../parts/refused-notice.tsx';
import { SkeletonRows } from '../parts/skeleton-rows.tsx';
import { faultOf, isShownAt } from '../placement/fault.ts';
import { NameField } from '../placement/name-field.tsx';
import { startOf } from '../placement/words.ts';
import { RecipeForm } from '../recipes/recipe-form.tsx';
import type { Recipe } from '../recipes/recipes.ts';

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
        <PolicyForm recipe={recipe} taken={taken} onMade={onMade} onClose={onClose} />
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

type FormProps = Pick<Props, 'taken' | 'onMade' | 'onClose'> & { recipe: Recipe };

function PolicyForm({ recipe, taken, onMade, onClose }: FormProps) {
  const [draft, setDraft] = useState(() => startOf(recipe.id, taken));
  const { busy, error, run, clear } = useSubmit(async () => {
    onMade(await send<Policy>('POST', '/policies', { ...draft, recipe: recipe.id }));
  });
  const set = (change: Partial<typeof draft>) => {
    setDraft((old) => ({ ...old, ...change }));
    clear();
  };
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('.recipe-form :is(input, textarea)')?.focus();
  }, []);
  const fault = faultOf(error);
  return (
    <form ref={form} onSubmit={submitWith(() => run())}>
      <p class="muted">{recipe.description}</p>
      <RecipeForm
        fields={recipe.fields}
        values={draft.values}
        fault={fault}
        onChange={(values) => set({ values })}
      />
      <NameField name={draft.name} fault={fault} onChange={(name) => set({ name })} />
      {error !== null && !isShownAt(fault, recipe.fields) && <RefusedNotice error={error} />}
      <p class="muted">The site gets it when you save the site; other sites can have it as well.</p>
      <div class="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={busy}>
          Use this policy
        </button>
      </div>
    </form>
  );
}
