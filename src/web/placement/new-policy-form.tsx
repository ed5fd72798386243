/** Makes a policy and puts it on sites, in one go. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { plural } from '../lib/format.ts';
import type { Relabelled } from '../lib/relabel.ts';
import type { Vhost } from '../lib/types.ts';
import { submitWith, useSubmit } from '../lib/use-submit.ts';
import { RefusedNotice } from '../parts/refused-notice.tsx';
import { RecipeForm } from '../recipes/recipe-form.tsx';
import type { Recipe } from '../recipes/recipes.ts';
import { faultOf, isShownAt } from './fault.ts';
import { NameField } from './name-field.tsx';
import { createOn } from './store.ts';
import { startOf } from './words.ts';

type Props = {
  recipe: Recipe;
  /** The names of other policies. */
  taken: readonly string[];
  sites: readonly Vhost[];
  onClose: () => void;
  onDone: (words: string, done: Relabelled) => Promise<void>;
};

export function NewPolicyForm({ recipe, taken, sites, onClose, onDone }: Props) {
  const [draft, setDraft] = useState(() => startOf(recipe.id, taken));
  const { busy, error, run, clear } = useSubmit(async () => {
    const ids = sites.map(({ id }) => id);
    const { placed } = await createOn({ ...draft, recipe: recipe.id }, ids);
    await onDone(`Policy ${draft.name} put on ${plural(placed.count, 'site')}`, placed);
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
      <h3>New policy: {recipe.title}</h3>
      <p class="muted">{recipe.description}</p>
      <RecipeForm
        fields={recipe.fields}
        values={draft.values}
        fault={fault}
        onChange={(values) => set({ values })}
      />
      <NameField name={draft.name} fault={fault} onChange={(name) => set({ name })} />
      {error !== null && !isShownAt(fault, recipe.fields) && <RefusedNotice error={error} />}
      <div class="actions">
        <button type="button" onClick={onClose}>
          Back
        </button>
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Publishing …' : `Put on ${plural(sites.length, 'site')}`}
        </button>
      </div>
    </form>
  );
}
