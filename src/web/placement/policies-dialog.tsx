/** Puts policies on the selected sites and takes them off; a new one can be made at once. */
import { useState } from 'preact/hooks';
import { get } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { type Relabelled, relabel } from '../lib/relabel.ts';
import type { Policy, Vhost } from '../lib/types.ts';
import { submitWith, useSubmit } from '../lib/use-form.ts';
import { again, useLoad } from '../lib/use-load.ts';
import { FormActions } from '../parts/dialog.tsx';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice, RefusedNotice } from '../parts/notice.tsx';
import { hasOf, TickList, type Ticks } from '../parts/tick-list.tsx';
import { type Recipe, useRecipes } from '../recipes/schema.ts';
import { NewPolicyForm } from './new-policy-form.tsx';
import { createOn, placing, summaryOf } from './store.ts';

type Props = {
  sites: readonly Vhost[];
  onClose: () => void;
  onDone: (words: string, done: Relabelled) => Promise<void>;
};

export function PoliciesDialog({ sites, onClose, onDone }: Props) {
  const policies = useLoad('policies', (signal) => get<Policy[]>('/policies', signal));
  const recipes = useRecipes('policy');
  const [chosen, setChosen] = useState<Recipe | null>(null);
  const [ticks, setTicks] = useState<Ticks>({});
  const ids = sites.map(({ id }) => id);
  const { busy, error, run } = useSubmit(async () => {
    const chosen = (policies.data ?? []).filter(({ name }) => ticks[name] !== undefined);
    const seen = chosen.map(({ id, name, everywhere }) => ({ id, name, everywhere }));
    const change = (site: Vhost) => {
      let { policies, except } = site;
      for (const policy of chosen) {
        const place = placing(policy, ticks[policy.name] ? ids : []);
        ({ policies = policies, except = except } = place({ ...site, policies, except }));
      }
      return { policies, except };
    };
    const done = await relabel(ids, change, { seen }).catch(again(policies));
    await onDone(`Policies of ${plural(done.count, 'site')} changed`, done);
  });
  const failure = policies.error ?? recipes.error;
  if (failure) return <Notice kind="error" title={failure} />;
  if (!policies.data || !recipes.data) return <SkeletonRows rows={4} label="Loading policies" />;
  if (chosen) {
    return (
      <>
        <h3>New policy: {chosen.title}</h3>
        <NewPolicyForm
          recipe={chosen}
          taken={policies.data.map(({ name }) => name)}
          labels={{
            create: `Put on ${plural(sites.length, 'site')}`,
            busy: 'Publishing …',
            close: 'Back',
          }}
          onCreate={async (fresh) => {
            const { placed } = await createOn(fresh, ids);
            await onDone(`Policy ${fresh.name} put on ${plural(placed.count, 'site')}`, placed);
          }}
          onClose={() => setChosen(null)}
        />
      </>
    );
  }
  return (
    <form onSubmit={submitWith(() => run())}>
      <TickList
        label="Policies"
        items={policies.data.map(({ name, recipe, values, everywhere, vhosts }) => ({
          name,
          has: hasOf(
            name,
            sites.map(({ id, policies }) => (vhosts.includes(id) ? [name] : policies)),
          ),
          note: [
            everywhere && 'every site',
            summaryOf(recipes.data?.find(({ id }) => id === recipe)?.fields, values),
          ]
            .filter(Boolean)
            .join(' · '),
        }))}
        ticks={ticks}
        onChange={setTicks}
      />
      <h3>New policy</h3>
      <div class="row above">
        {recipes.data.map((recipe) => (
          <button
            key={recipe.id}
            type="button"
            disabled={!recipe.available}
            title={recipe.available ? recipe.description : recipe.reason}
            onClick={() => setChosen(recipe)}
          >
            {recipe.title}
          </button>
        ))}
      </div>
      {error !== null && <RefusedNotice error={error} />}
      <FormActions
        action={busy ? 'Publishing …' : 'Save and publish'}
        disabled={Object.keys(ticks).length === 0 || busy}
        onClose={onClose}
      />
    </form>
  );
}
