/** The list of all policies. */
import { useState } from 'preact/hooks';
import { get } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { usePublishes } from '../lib/hub.ts';
import { useCan } from '../lib/roles.ts';
import { takeFlash } from '../lib/router.ts';
import type { Policy, Vhost } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { Empty } from '../parts/empty.tsx';
import { SourceMark } from '../parts/kept-by.tsx';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { COMMON, summaryOf } from '../placement/store.ts';
import { type Recipe, useRecipes } from '../recipes/schema.ts';

/** Sites that are named beside their number. */
const NAMED = 2;

export function PoliciesPage() {
  const [flash] = useState(takeFlash);
  const publishes = usePublishes();
  const policies = useLoad(`policies ${publishes}`, (signal) => get<Policy[]>('/policies', signal));
  const sites = useLoad(`sites ${publishes}`, (signal) => get<Vhost[]>('/vhosts', signal));
  const recipes = useRecipes('policy');
  const canEdit = useCan('editor');
  const error = policies.error ?? recipes.error;
  const known = policies.data && recipes.data ? policies.data : undefined;
  return (
    <>
      <div class="page-head row">
        <h1>Policies</h1>
        {canEdit && (
          <a class="button primary" href="/policies/new">
            New policy
          </a>
        )}
      </div>
      {flash && <Notice kind={flash.kind}>{flash.text}</Notice>}
      {error && <Notice kind="error" title={error} />}
      {!known && !error && <SkeletonRows rows={4} label="Loading policies" />}
      {known?.length === 0 && <NoPolicies recipes={canEdit ? recipes.data : undefined} />}
      {known && known.length > 0 && (
        <ul class="policies card flush lines plain">
          {known.map((policy) => (
            <PolicyRow
              key={policy.id}
              policy={policy}
              recipe={recipes.data?.find(({ id }) => id === policy.recipe)}
              sites={sites.data?.filter(({ id }) => policy.vhosts.includes(id)) ?? []}
            />
          ))}
        </ul>
      )}
    </>
  );
}

type RowProps = { policy: Policy; recipe: Recipe | undefined; sites: readonly Vhost[] };

function PolicyRow({ policy, recipe, sites }: RowProps) {
  const { id, name, values, everywhere, vhosts, source, updatedAt } = policy;
  return (
    <li>
      <div class="row baseline">
        <a class="name" href={`/policies/${id}`}>
          {name}
        </a>
        <span class="small muted">{recipe?.title ?? policy.recipe}</span>
        {source !== null && <SourceMark source={source} />}
      </div>
      <p>{summaryOf(recipe?.fields, values)}</p>
      <p>
        {everywhere && <span>every site, also new ones; now </span>}
        {vhosts.length === 0 ? (
          <span class="muted">on no site</span>
        ) : (
          <>
            <a href={`/sites?policy=${name}`}>{plural(vhosts.length, 'site')}</a>
            <span class="muted">
              {sites.length > 0 && ': '}
              {sites
                .slice(0, NAMED)
                .map(({ domain }) => domain)
                .join(', ')}
              {sites.length > NAMED && ' …'}
            </span>
          </>
        )}
      </p>
      <p class="muted">
        changed <Time at={updatedAt} />
      </p>
    </li>
  );
}

/** @param recipes what can be created; undefined: nothing */
function NoPolicies({ recipes }: { recipes: readonly Recipe[] | undefined }) {
  const common = recipes?.filter(({ id, available }) => available && COMMON.includes(id));
  return (
    <Empty>
      <p>You have no policies yet.</p>
      <p>
        A policy is a rule shared by several sites: a password, a sign-in service, who may access
        them. You set it up once, put it on as many sites as you like, and change it on all of them
        at once.
      </p>
      {common && (
        <div class="row">
          {common.map(({ id, title }) => (
            <a key={id} class="button" href={`/policies/new?recipe=${id}`}>
              {title}
            </a>
          ))}
          <a class="button" href="/policies/new">
            All kinds …
          </a>
        </div>
      )}
    </Empty>
  );
}
