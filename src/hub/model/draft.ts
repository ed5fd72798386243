/** Lists of vhosts that are changed in place: copying one for each of n changes takes n² time. */
import type { Vhost } from './vhost.ts';

/** Those that only one sequence of changes knows. */
const drafts = new WeakSet<readonly Vhost[]>();

/** A copy that `spliced` changes in place. */
export function draftOf(vhosts: readonly Vhost[]): readonly Vhost[] {
  const draft = [...vhosts];
  drafts.add(draft);
  return draft;
}

/** From now on the list is as immutable as any other. */
export const finish = (draft: readonly Vhost[]): void => void drafts.delete(draft);

/** As `toSpliced`; a draft itself if it is one. */
export function spliced(
  vhosts: readonly Vhost[],
  at: number,
  removed: number,
  ...added: Vhost[]
): readonly Vhost[] {
  if (!isDraft(vhosts)) return vhosts.toSpliced(at, removed, ...added);
  vhosts.splice(at, removed, ...added);
  return vhosts;
}

const isDraft = (vhosts: readonly Vhost[]): vhosts is Vhost[] => drafts.has(vhosts);
