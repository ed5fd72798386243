/** The form of a policy: its name, its values and the sites that have it. */
import { useState } from 'preact/hooks';
import { type Answer, get, read, request } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { GUARD_FIELDS } from '../lib/guards.ts';
import { useHub } from '../lib/hub.ts';
import { navigate, setFlash } from '../lib/router.ts';
import type { Policy, Vhost } from '../lib/types.ts';
import { useControlKey } from '../lib/use-browser.ts';
import { type Subject, useEditor } from '../lib/use-editor.ts';
import { ChangeQuestions } from '../parts/change-questions.tsx';
import { Closing, Confirm, Dialog } from '../parts/dialog.tsx';
import { KeptBy } from '../parts/kept-by.tsx';
import { Notice, RefusedNotice } from '../parts/notice.tsx';
import { SaveBar } from '../parts/save-bar.tsx';
import { Tick } from '../parts/tick.tsx';
import { faultOf, isShownAt, NameField } from '../placement/new-policy-form.tsx';
import { changeOn, createOn, operationsOn } from '../placement/store.ts';
import { RecipeForm } from '../recipes/recipe-form.tsx';
import { isFilled, type Recipe, type Values } from '../recipes/schema.ts';
import { PreviewPanel } from '../sites/form/preview-panel.tsx';
import { PolicyText } from './policy-text.tsx';
import { Moves, SitePicker } from './site-picker.tsx';

type Stored = Answer<Policy>;
type Draft = {
  name: string;
  values: Values;
  everywhere: boolean;
  /** The sites to which it applies. */
  picked: ReadonlySet<number>;
};

type Props = {
  recipe: Recipe;
  stored: Stored | null;
  start: { name: string; values: Values };
  sites: readonly Vhost[];
  /** Called with the policy after each save. */
  onStored?: (stored: Stored) => void;
};

export function PolicyForm({ recipe, stored, start, sites, onStored }: Props) {
  const { refresh } = useHub();
  const [deleting, setDeleting] = useState(false);
  const empty = { ...start, everywhere: false, picked: new Set<number>() };
  const editor = useEditor({ ...policyOf(recipe, stored, sites), stored, empty, onStored });
  const { base, draft, error, outcome, verdict, theirs, form, set } = editor;
  const { picked, ...fields } = draft;
  const { name, values, everywhere } = fields;
  const policy = editor.stored?.body;
  const before = policy?.vhosts ?? [];
  const moves = movesOf(before, picked);
  const fault = faultOf(error);

  useControlKey('s', () => form.current?.requestSubmit());
  const remove = async () => {
    const ifMatch = editor.stored?.etag;
    await request(`/policies/${policy?.id}`, { method: 'DELETE', ifMatch });
    editor.release();
    setFlash({ kind: 'success', text: `The policy ${policy?.name} is deleted.` });
    refresh();
    navigate('/policies', { replace: true });
  };
  const isMoved = moves.on.length + moves.off.length > 0;
  const isGuard = base
    ? (isMoved && recipe.id !== HEADERS) || changesGuard(base.values, values)
    : recipe.id !== HEADERS;
  const isAskable =
    (policy ? editor.dirty : isMoved) && verdict.state !== 'refused' && isFilledIn(recipe, draft);
  const isPlaced = isShownAt(fault, recipe.fields);

  return (
    <div class="site-form columns top">
      <form ref={form} onSubmit={editor.onSubmit}>
        <KeptBy source={policy?.source ?? null} />
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
        <Tick
          checked={everywhere}
          onTick={(everywhere) => set({ everywhere, ...(everywhere && { picked: idsOf(sites) }) })}
        >
          Apply to every site, also new ones
        </Tick>
        {sites.length > 0 && (
          <SitePicker sites={sites} picked={picked} onChange={(picked) => set({ picked })} />
        )}
        {theirs && (
          <div class="notice notice-warning" role="alert">
            <strong>
              Someone else changed this policy, or its sites, while you were editing it
            </strong>
            <p>If you keep your changes, the policy and its sites become as they are here.</p>
          </div>
        )}
        {error !== null && !isPlaced && <RefusedNotice error={error} />}
        {outcome && policy && <Notice kind="success">Saved.</Notice>}
        <SaveBar editor={editor} onDelete={() => setDeleting(true)} />
      </form>
      <div>
        {policy ? (
          <PreviewPanel verdict={verdict} />
        ) : (
          <PolicyText recipe={recipe} values={isFilledIn(recipe, draft) ? values : null} />
        )}
        <Moves moves={moves} sites={sites} />
        {isAskable && (
          <ChangeQuestions
            of={operationsOn(policy ?? { recipe: recipe.id, ...fields }, fields, sites, [
              ...picked,
            ])}
            isGuard={isGuard}
          />
        )}
      </div>
      {deleting && before.length > 0 && (
        <Dialog title={`The policy ${policy?.name} is in use`} onClose={() => setDeleting(false)}>
          <p>
            It is on {plural(before.length, 'site')}. To delete it,{' '}
            {policy?.everywhere && 'turn off that it applies to every site, '}untick all sites and
            save first.
          </p>
          <Closing onClose={() => setDeleting(false)} />
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

const isFilledIn = (recipe: Recipe, { name, values }: Pick<Draft, 'name' | 'values'>): boolean =>
  name !== '' && isFilled(recipe.fields, values);

/** Of the recipe that lets everybody in. */
const HEADERS = 'headers';

const changesGuard = (before: Values, after: Values): boolean =>
  GUARD_FIELDS.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));

const idsOf = (sites: readonly Vhost[]): Set<number> => new Set(sites.map(({ id }) => id));

/** Whether name or values differ. */
const isEdited = (a: Pick<Draft, 'name' | 'values'>, b: Pick<Draft, 'name' | 'values'>): boolean =>
  a.name !== b.name || JSON.stringify(a.values) !== JSON.stringify(b.values);

/** The ids of the sites that get it, and of those that lose it. */
const movesOf = (vhosts: Iterable<number>, picked: ReadonlySet<number>) => {
  const before = new Set(vhosts);
  return { on: [...picked.difference(before)], off: [...before.difference(picked)] };
};

/** What the form edits. @param stored null for a new policy */
const policyOf = (
  recipe: Recipe,
  stored: Stored | null,
  sites: readonly Vhost[],
): Omit<Subject<Stored, Draft>, 'stored' | 'empty'> => {
  const load = () => read<Policy>(`/policies/${stored?.body.id}`);
  const outcome = { kind: 'success', text: 'Saved.' } as const;
  const made = ({ name, picked }: Draft) => {
    const where = picked.size > 0 ? `live on ${plural(picked.size, 'site')}` : 'saved';
    setFlash({ kind: 'success', text: `The policy ${name} is ${where}.` });
    navigate('/policies');
    return { stored: null, outcome };
  };
  return {
    draftOf: ({ body: { name, values, everywhere, vhosts } }) => ({
      name,
      values,
      everywhere,
      picked: new Set(vhosts),
    }),
    isSame: (a, b) =>
      !isEdited(a, b) &&
      a.everywhere === b.everywhere &&
      a.picked.symmetricDifference(b.picked).size === 0,
    operation({ name, values, everywhere }, base) {
      const isChanged =
        base && (isEdited(base, { name, values }) || base.everywhere !== everywhere);
      return stored && isChanged && isFilledIn(recipe, { name, values })
        ? { op: 'policy', id: stored.body.id, name, values, everywhere }
        : null;
    },
    async save(draft, over) {
      const { picked, ...fields } = draft;
      const rest = [...idsOf(sites).difference(picked)];
      if (over !== null) {
        await changeOn(over.body, fields, [...picked], rest);
        return { stored: await load(), outcome };
      }
      await createOn({ recipe: recipe.id, ...fields }, [...picked], rest);
      return made(draft);
    },
    load,
    async find(draft) {
      const all = await get<Policy[]>('/policies');
      const isIt = all.some((one) => one.name === draft.name && one.recipe === recipe.id);
      return isIt ? made(draft) : null;
    },
    wordsOf: () => outcome.text,
  };
};
