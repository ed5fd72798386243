/** The form of a new policy, in a dialog; its name, and where a refusal belongs. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../lib/api.ts';
import { submitWith, useSubmit } from '../lib/use-form.ts';
import { FormActions } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { SLUG } from '../parts/field-of.tsx';
import { RefusedNotice } from '../parts/notice.tsx';
import { RecipeForm } from '../recipes/recipe-form.tsx';
import { type Fault, type JsonSchema, type Recipe, wordsAt } from '../recipes/schema.ts';
import { type NewPolicy, startOf } from './store.ts';

type Props = {
  recipe: Recipe;
  /** The names of other policies. */
  taken: readonly string[];
  /** The labels of the buttons; `busy` is that of `create` while it runs. */
  labels: { create: string; busy: string; cancel?: string };
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
      <FormActions
        action={busy ? labels.busy : labels.create}
        cancel={labels.cancel}
        disabled={busy}
        onClose={onClose}
      />
    </form>
  );
}

type RecipeButtonsProps = { recipes: readonly Recipe[]; onChoose: (recipe: Recipe) => void };

/** A button for each kind of policy. */
export const RecipeButtons = ({ recipes, onChoose }: RecipeButtonsProps) => (
  <div class="row above">
    {recipes.map((recipe) => (
      <button
        key={recipe.id}
        type="button"
        disabled={!recipe.available}
        title={recipe.available ? recipe.description : recipe.reason}
        onClick={() => onChoose(recipe)}
      >
        {recipe.title}
      </button>
    ))}
  </div>
);

/** The refusal of a name or a value; null if it belongs to the form as a whole. */
export function faultOf(error: unknown): Fault | null {
  if (!(error instanceof ApiError)) return null;
  const { policy, field, message, detail } = error;
  if (policy?.field) return { field: policy.field, message: detail ?? message };
  // Those of a bulk request are about its operations.
  if (field === null || field.startsWith('operations')) return null;
  return { field, message };
}

/** Whether the form shows the fault at one of its fields: the name, or one of the recipe. */
export const isShownAt = (fault: Fault | null, { properties = {} }: JsonSchema): boolean =>
  fault !== null && (fault.field === 'name' || (fault.field.split('.')[0] ?? '') in properties);

type NameFieldProps = {
  name: string;
  fault: Fault | null;
  /** Whether sites have it. */
  isUsed?: boolean;
  onChange: (name: string) => void;
};

/** The name of a policy. */
export const NameField = ({ name, fault, isUsed = false, onChange }: NameFieldProps) => (
  <TextField
    label="Policy name"
    type="text"
    required
    {...SLUG}
    autocomplete="off"
    help={`Lower-case letters, digits and hyphens.${isUsed ? ' If you rename it, its sites keep it.' : ''}`}
    error={fault?.field === 'name' ? wordsAt(fault) : null}
    value={name}
    onInput={(event) => onChange(event.currentTarget.value)}
  />
);
