/** The pages of one policy: to create it, and to change it. */
import { get, read } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { useCan } from '../lib/roles.ts';
import { useTitle } from '../lib/router.ts';
import type { Policy, Vhost } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { Icon } from '../parts/icon.tsx';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { startOf } from '../placement/store.ts';
import { type Recipe, useRecipes } from '../recipes/schema.ts';
import { PolicyForm } from './policy-form.tsx';

/** @param recipe the one that was chosen */
export function NewPolicy({ recipe: chosen }: { recipe: string | null }) {
  const recipes = useRecipes('policy');
  const loaded = useLoad('for a policy', async (signal) => ({
    sites: await get<Vhost[]>('/vhosts', signal),
    policies: await get<Policy[]>('/policies', signal),
  }));
  const recipe = recipes.data?.find(({ id }) => id === chosen);
  const names = loaded.data?.policies.map(({ name }) => name);
  const error = recipes.error ?? loaded.error;
  return (
    <>
      <div class="page-head row">
        <h1>{recipe ? `New policy: ${recipe.title}` : 'New policy'}</h1>
        {recipe && (
          <a class="button" href="/policies/new">
            Another kind
          </a>
        )}
      </div>
      {error && <Notice kind="error" title={error} />}
      {!recipes.data && !error && <SkeletonRows rows={6} label="Loading" />}
      {recipes.data && !recipe && <RecipeCards recipes={recipes.data} />}
      {recipe && <p class="muted">{recipe.description}</p>}
      {recipe && loaded.data && names && (
        <PolicyForm
          key={recipe.id}
          recipe={recipe}
          stored={null}
          start={startOf(recipe.id, names)}
          sites={loaded.data.sites}
        />
      )}
    </>
  );
}

export function PolicyPage({ id }: { id: number }) {
  const canEdit = useCan('editor');
  const recipes = useRecipes('policy');
  const stored = useLoad(`policy ${id}`, (signal) => read<Policy>(`/policies/${id}`, signal));
  const sites = useLoad('sites', (signal) => get<Vhost[]>('/vhosts', signal));
  const policy = stored.data?.body;
  const recipe = recipes.data?.find((one) => one.id === policy?.recipe);
  const error = stored.error ?? recipes.error ?? sites.error;
  useTitle(policy?.name);
  return (
    <>
      <div class="page-head row">
        <h1>{policy?.name ?? 'Policy'}</h1>
        {policy && (
          <a
            class="button"
            href={`/changelog?domain=${encodeURIComponent(`(policy ${policy.name})`)}`}
          >
            History
          </a>
        )}
      </div>
      {error && <Notice kind="error" title={error} />}
      {!error && !recipe && <SkeletonRows rows={6} label="Loading" />}
      {recipes.data && policy && !recipe && (
        <Notice kind="warning">
          This version of signalbox does not know the kind of this policy, {policy.recipe}.
        </Notice>
      )}
      {recipe && (
        <p class="muted">
          {recipe.title}. {recipe.description}
        </p>
      )}
      {recipe && !recipe.available && (
        <Notice kind="warning">{recipe.reason ?? 'Your Caddy does not support this.'}</Notice>
      )}
      {!canEdit && policy && sites.data && (
        <SitesWith sites={sites.data.filter((site) => policy.vhosts.includes(site.id))} />
      )}
      {canEdit && recipe && stored.data && policy && sites.data && (
        <PolicyForm
          recipe={recipe}
          stored={stored.data}
          start={{ name: policy.name, values: policy.values }}
          sites={sites.data}
          onStored={(now) => stored.set(() => now)}
        />
      )}
    </>
  );
}

/** Where a policy applies, for those who cannot change it. */
const SitesWith = ({ sites }: { sites: readonly Vhost[] }) => (
  <section class="card" aria-label="Sites">
    <h2>{sites.length === 0 ? 'On no site' : `On ${plural(sites.length, 'site')}`}</h2>
    <ul class="lines plain">
      {sites.map(({ id, domain }) => (
        <li key={id}>
          <a href={`/sites/${id}`}>{domain}</a>
        </li>
      ))}
    </ul>
  </section>
);

/** The kinds of policies to choose from. */
const RecipeCards = ({ recipes }: { recipes: readonly Recipe[] }) => (
  <ul class="recipe-cards columns plain">
    {recipes.map(({ id, title, description, available, reason }) => (
      <li key={id} class="card">
        <h2>{available ? <a href={`/policies/new?recipe=${id}`}>{title}</a> : title}</h2>
        <p class="muted">{description}</p>
        {!available && (
          <p class="warn">
            <Icon name="warn" /> {reason ?? 'Your Caddy does not support this.'}
          </p>
        )}
      </li>
    ))}
  </ul>
);
