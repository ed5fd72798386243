/** The form of a new policy, in a dialog. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { submitWith, useSubmit } from '../lib/use-submit.ts';
import { RefusedNotice } from '../parts/refused-notice.tsx';
import { RecipeForm } from '../recipes/recipe-form.tsx';
import type { Recipe } from '../recipes/recipes.ts';
import { faultOf, isShownAt } from './fault.ts';
import { NameField } from './name-field.tsx';
import type { NewPolicy } from './store.ts';
import { startOf } from './words.ts';

type Props = {
  recipe: Recipe;
  /** The names of other policies. */
  taken: readonly string[];
  /** The labels of the buttons; `busy` is that of `create` while it runs. */
  labels: { create: string; busy: string; close: string };
  /** The form shows what it throws. */
  onCreate: (fresh: NewPolicy) => Promise<void>;
  onClose: () => void;
  /** Shown above the buttons. */
  children?: ComponentChildren;
};

/** Must not be inside another `<form>`. */
export function NewPolicyForm({ recipe, taken, labels, onCreate, onClose, children }: Props) {
  const [draft, setDraft] = useState(() => startOf(recipe.id, taken));
  const { busy, error, run, clear } = useSubmit(() => onCreate({ ...draft, recipe: recipe.id }));
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
      {children}
      <div class="actions">
        <button type="button" onClick={onClose}>
          {labels.close}
        </button>
        <button type="submit" class="primary" disabled={busy}>
          {busy ? labels.busy : labels.create}
        </button>
      </div>
    </form>
  );
}
