/** The sites that were closed lately: a change put policies on them, and they are still as it left them. */
import { and, eq } from 'drizzle-orm';
import type { HubCore } from '../../hub/core.ts';
import { changelog } from '../../hub/db/schema.ts';
import type { Vhost } from '../../hub/model/vhost.ts';
import type { Policy } from '../../hub/recipes/policy.ts';
import { memoize } from '../../shared/memoize.ts';
import { isGuard } from './words.ts';

/** `policies`: those that the change added; `group`: of its entries in the changelog. */
export type Closing = { vhost: Vhost; policies: readonly Policy[]; group: number };

/** How long somebody who is refused since then is a problem. */
const DAYS = 30;
const DAY_MS = 24 * 3_600_000;

/** @returns what finds the closings of the last 30 days among the sites that are on */
export function createClosings({
  db,
  now,
  publisher,
}: Pick<HubCore, 'db' | 'now' | 'publisher'>): () => Closing[] {
  const closingOf = memoize((vhost: Vhost): Closing | null => {
    const isLast = and(
      eq(changelog.domain, vhost.domain),
      eq(changelog.createdAt, vhost.updatedAt),
    );
    const { action, before, after, group } = db.select().from(changelog).where(isLast).get() ?? {};
    if (action !== 'update' || !before || !after || group === undefined) return null;
    const known = policiesIn(before);
    const added = vhost.policies.filter(({ id }) => !known.includes(id));
    const policies = added.filter(({ recipe }) => isGuard(recipe));
    const isAsMade = policies.every(({ updatedAt }) => updatedAt <= vhost.updatedAt);
    return policies.length > 0 && isAsMade ? { vhost, policies, group } : null;
  });

  return () => {
    const from = now().getTime() - DAYS * DAY_MS;
    return guarded(publisher.current().vhosts)
      .filter(({ updatedAt }) => updatedAt.getTime() > from)
      .flatMap((vhost) => closingOf(vhost) ?? []);
  };
}

const guarded = memoize((vhosts: readonly Vhost[]) =>
  vhosts.filter(({ enabled, policies }) => enabled && policies.length > 0),
);

const policiesIn = (recorded: string): readonly number[] => JSON.parse(recorded).policies;
