/** Changes policies or tags of several sites: one publish, for all of them or for none. */
import { get, send } from './api.ts';
import type { Vhost } from './types.ts';

/** Of a bulk request. */
export const MOST = 1_000;

type Labels = Partial<Pick<Vhost, 'policies' | 'tags'>>;
export type Relabelled = {
  /** How many sites were changed. */
  count: number;
  /** Gives them back what they had. */
  undo: () => Promise<void>;
};

/**
 * @param change what a site of these gets; it is called with the sites as they are now
 * @throws ApiError; none is changed then
 */
export async function relabel(
  ids: readonly number[],
  change: (site: Vhost) => Labels,
): Promise<Relabelled> {
  const wanted = new Set(ids);
  const sites = (await get<Vhost[]>('/vhosts')).filter(({ id }) => wanted.has(id));
  const changed = sites
    .map((before) => ({ before, after: change(before) }))
    .filter(({ before, after }) => !isSame(before, after));
  const update = (of: 'before' | 'after') =>
    changed.map(({ before, after }) => ({
      op: 'update',
      id: before.id,
      ...(of === 'after' ? after : labelsOf(before, after)),
    }));
  if (changed.length > 0) await send('POST', '/vhosts/bulk', { operations: update('after') });
  return {
    count: changed.length,
    undo: async () => {
      await send('POST', '/vhosts/bulk', { operations: update('before') });
    },
  };
}

/** The same fields as they were. */
const labelsOf = ({ policies, tags }: Vhost, like: Labels): Labels => ({
  ...(like.policies && { policies }),
  ...(like.tags && { tags }),
});

const isSame = (before: Vhost, after: Labels): boolean =>
  JSON.stringify(labelsOf(before, after)) === JSON.stringify(after);
