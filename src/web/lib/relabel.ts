/** Changes several sites: one publish and one undo, for all of them or for none. */
import { ApiError, get, send } from './api.ts';
import type { Done, Policy, Vhost } from './types.ts';

/** Of a bulk request. */
export const MOST = 1_000;

type Labels = Partial<Pick<Vhost, 'policies' | 'except' | 'tags' | 'agents' | 'check'>>;

/** What a change of several sites has come to. */
export type Relabelled = {
  /** How many sites were changed. */
  count: number;
  /** Of the changes in the changelog, by which they are undone; null if there was nothing to change. */
  group: number | null;
};

type With = {
  /** An operation before those of the sites. */
  first?: object;
  /** One after them. */
  last?: object;
  /** Policies as they were read, or some of their fields: if one is no longer so, the change is refused. */
  seen?: readonly (Partial<Policy> & Pick<Policy, 'id'>)[];
};

/**
 * Changes policies, tags, proxies or checks of sites.
 * @param change what a site of these gets; it is called with the sites as they are now
 * @returns also the result of the first operation
 * @throws ApiError; nothing is changed then
 */
export async function relabel<T>(
  ids: readonly number[],
  change: (site: Vhost) => Labels,
  { first, last, seen = [] }: With = {},
): Promise<Relabelled & { result: T | undefined }> {
  const changed = changedBy(change, await get<Vhost[]>('/vhosts'), ids);
  const vhosts = changed.map(({ before, after }) => ({
    id: before.id,
    ...labelsOf(before, after),
  }));
  const { results, group } = await bulk<T>(
    [first, ...updatesOf(changed), last].filter((one) => one !== undefined),
    { vhosts, policies: seen },
  );
  return { count: changed.length, group, result: results[0] };
}

type Changed = { before: Vhost; after: Labels };

/** Those of some sites that a change would change. */
export function changedBy(
  change: (site: Vhost) => Labels,
  sites: readonly Vhost[],
  ids: readonly number[],
): Changed[] {
  const wanted = new Set(ids);
  return sites
    .filter(({ id }) => wanted.has(id))
    .map((before) => ({ before, after: change(before) }))
    .filter(({ before, after }) => !isSame(before, after));
}

/** The same as operations. */
export const updatesOf = (changed: readonly Changed[]): object[] =>
  changed.map(({ before: { id }, after }) => ({ op: 'update', id, ...after }));

/**
 * Turns a site on or off, unless somebody has done so since it was read.
 * @returns the site as it is now, and how to undo what was done, if anything was
 * @throws ApiError; nothing is changed then
 */
export async function toggle({
  id,
  enabled,
}: Vhost): Promise<Pick<Relabelled, 'group'> & { site: Vhost }> {
  try {
    const expects = { vhosts: [{ id, enabled }], policies: [] };
    const { results, group } = await bulk<Vhost>([{ op: 'toggle', id }], expects);
    const [site] = results;
    if (site) return { site, group };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'PRECONDITION_FAILED') throw error;
  }
  return { site: await get<Vhost>(`/vhosts/${id}`), group: null };
}

/**
 * Deletes a site, unless somebody has changed it since it was read.
 * @throws ApiError; nothing is changed then
 */
export async function remove({ id, updatedAt }: Vhost): Promise<Done & Pick<Relabelled, 'group'>> {
  const expects = { vhosts: [{ id, updatedAt }], policies: [] };
  const { results, group, behind } = await bulk<Done>([{ op: 'delete', id }], expects);
  return { ...results[0], success: true, behind, group };
}

/**
 * @param expects what must be as it was read
 * @returns the results of the operations, the group of the changes, and the proxies that were unreachable
 * @throws ApiError; nothing is changed then
 */
export async function bulk<T>(
  operations: readonly object[],
  expects?: { vhosts: readonly object[]; policies: readonly object[] },
): Promise<{ results: T[]; group: number | null; behind: string[] }> {
  type Changed = { results: T[]; group?: number; behind?: string[] };
  const body = { operations, expects };
  const { results, group = null, behind = [] } = await send<Changed>('POST', '/vhosts/bulk', body);
  return { results, group, behind };
}

/** The same fields as they were. */
const labelsOf = (site: Vhost, like: Labels): Labels =>
  Object.fromEntries(Object.keys(like).map((field) => [field, site[field as keyof Labels]]));

const isSame = (before: Vhost, after: Labels): boolean =>
  JSON.stringify(labelsOf(before, after)) === JSON.stringify(after);
