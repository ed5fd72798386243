/** What is wrong with a site, as far as hub and proxy know. Pure. */
import type { Status, Vhost } from '../lib/types.ts';

export type SiteProblem = { level: 'bad' | 'warn'; label: string; text: string };

/** The worst of it; null where nothing is. */
export function problemOf(site: Vhost, status: Status | null): SiteProblem | null {
  const broken = status?.broken.find(({ id }) => id === site.id);
  if (broken) return { level: 'bad', label: 'refused', text: broken.detail };
  return null;
}
