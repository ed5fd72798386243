/** Preamble and vhosts as one document, for export and restore. */
import { type Static, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { type Change, createChange, preambleChange } from '../publish/changes.ts';
import { sequence } from '../publish/sequence.ts';
import type { SiteSet } from '../publish/vhost.ts';
import { PREAMBLE, SITE } from './schemas.ts';

/** Vhosts in rendering order; without accounts and changelog. */
export const Snapshot = t.Object(
  {
    version: t.Literal(1),
    preamble: t.String(),
    vhosts: t.Array(
      t.Object({
        domain: t.String(),
        config: t.String(),
        upstream: t.String(),
        enabled: t.Boolean(),
      }),
    ),
  },
  { title: 'Snapshot' },
);
export type Snapshot = Static<typeof Snapshot>;

export const SNAPSHOT: Snapshot = {
  version: 1,
  preamble: PREAMBLE,
  vhosts: [{ ...SITE, enabled: true }],
};

export const snapshotOf = ({ preamble, vhosts }: SiteSet): Snapshot => ({
  version: 1,
  preamble,
  vhosts: vhosts.map(({ domain, config, upstream, enabled }) => ({
    domain,
    config,
    upstream,
    enabled,
  })),
});

/**
 * Replaces the whole set by a document. The preamble is operation 1, the first vhost 2.
 * @param replace whether there may be vhosts, which are then deleted
 * @throws Failure, when it is applied: NOT_EMPTY, and as the changes it consists of
 */
export const restoreChange =
  ({ preamble, vhosts }: Snapshot, replace: boolean): Change<unknown> =>
  async (set, time) => {
    if (set.vhosts.length > 0 && !replace) {
      throw new Failure(
        'NOT_EMPTY',
        'The hub already has sites; use ?replace=true to replace them.',
      );
    }
    const deletes = set.vhosts.map((before) => ({ kind: 'delete' as const, before }));
    const plan = await sequence<unknown>([
      preambleChange(preamble),
      ...vhosts.map((vhost) => createChange(vhost)),
    ])({ ...set, vhosts: [] }, time);
    if ('next' in plan) return { ...plan, steps: [...deletes, ...plan.steps] };
    if (deletes.length === 0) return plan;
    return { next: { ...set, vhosts: [] }, steps: deletes, result: plan.done };
  };
