/** Puts policies on the selected sites and takes them off; a new one can be made at once. */
import { useState } from 'preact/hooks';
import { get } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { relabel } from '../lib/relabel.ts';
import type { Policy, Vhost } from '../lib/types.ts';
import { again, useLoad } from '../lib/use-load.ts';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { hasOf, TickList, type Ticks } from '../parts/tick-list.tsx';
import { type Recipe, useRecipes } from '../recipes/schema.ts';
import { BulkForm, type BulkProps } from './bulk-form.tsx';
import { NewPolicyForm, RecipeButtons } from './new-policy-form.tsx';
import { createOn, placing, summaryOf } from './store.ts';

export function PoliciesDialog(props: BulkProps) {
  const { sites, onDone } = props;
  const policies = useLoad('policies', (signal) => get<Policy[]>('/policies', signal));
  const recipes = useRecipes('policy');
  const [chosen, setChosen] = useState<Recipe | null>(null);
  const [ticks, setTicks] = useState<Ticks>({});
  const ids = sites.map(({ id }) => id);
  const change = async () => {
    const chosen = (policies.data ?? []).filter(({ name }) => ticks[name] !== undefined);
    const seen = chosen.map(({ id, name, everywhere }) => ({ id, name, everywhere }));
    const placed = (site: Vhost) => {
      let { policies, except } = site;
      for (const policy of chosen) {
        const place = placing(policy, ticks[policy.name] ? ids : []);
        ({ policies = policies, except = except } = place({ ...site, policies, except }));
      }
      return { policies, except };
    };
    return await relabel(ids, placed, { seen }).catch(again(policies));
  };
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
            cancel: 'Back',
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
    <BulkForm {...props} subject="Policies" isReady={Object.keys(ticks).length > 0} change={change}>
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
      <RecipeButtons recipes={recipes.data} onChoose={setChosen} />
    </BulkForm>
  );
}
