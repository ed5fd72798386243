/** What is wrong with sites that follow containers. */
import type { Problem } from '../../hub/watch/problem.ts';

/** A site that does not follow its container any more; `why` as a sentence. */
type UnfollowedSite = Readonly<{
  vhost: { id: number; domain: string };
  container: string;
  why: string;
}>;

/** Those that stay as they were, because the labels of their containers are at fault. */
export const refusedLabels = (sites: readonly UnfollowedSite[]): Problem[] =>
  sites.map(({ vhost, container, why }) => ({
    code: 'LABELS_REFUSED',
    level: 'warn',
    vhost,
    message: `The site stays as it was, because it cannot follow the labels of the container ${container}: ${why}`,
  }));
