/** Changes policies or tags of several sites: one publish, for all of them or for none. */
import { get, send } from './api.ts';
import type { Vhost } from './types.ts';

/** Of a bulk request. */
export const MOST = 1_000;

type Labels = Partial<Pick<Vhost, 'policies' | 'except' | 'tags'>>;
export type Relabelled = {
  /** How many sites were changed. */
  count: number;
  /** Gives them back what they had. */
  undo: () => Promise<void>;
};

type Change = (site: Vhost) => Labels;

/**
 * @param change what a site of these gets; it is called with the sites as they are now
 * @throws ApiError; none is changed then
 */
export async function relabel(ids: readonly number[], change: Change): Promise<Relabelled> {
  const { update, ...relabelled } = await planned(ids, change);
  if (relabelled.count > 0) await bulk(update('after'));
  return relabelled;
}

/**
 * The same after another operation, in the same publish.
 * @returns also the result of that operation
 */
export async function relabelAfter<T>(
  operation: object,
  ids: readonly number[],
  change: Change,
): Promise<[T, Relabelled]> {
  const { update, ...relabelled } = await planned(ids, change);
  const { results } = await bulk<T>([operation, ...update('after')]);
  return [results[0] as T, relabelled];
}

const bulk = <T>(operations: readonly object[]): Promise<{ results: T[] }> =>
  send('POST', '/vhosts/bulk', { operations });

async function planned(ids: readonly number[], change: Change) {
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
  return {
    count: changed.length,
    update,
    undo: async () => {
      await bulk(update('before'));
    },
  };
}

/** The same fields as they were. */
const labelsOf = ({ policies, except, tags }: Vhost, like: Labels): Labels => ({
  ...(like.policies && { policies }),
  ...(like.except && { except }),
  ...(like.tags && { tags }),
});

const isSame = (before: Vhost, after: Labels): boolean =>
  JSON.stringify(labelsOf(before, after)) === JSON.stringify(after);
