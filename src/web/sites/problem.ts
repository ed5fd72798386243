/** How a site is: the worst problem that is reported of it, that it has none, or that nobody knows. Pure. */
import type { Problem, SiteState, Status, Vhost } from '../lib/types.ts';

export type SiteProblem = { level: Problem['level']; label: string; text: string };

/** `text` is empty if the label says everything. */
export type Health =
  | SiteProblem
  | { level: 'unknown' | 'good' | 'off'; label: string; text: string };

const LABELS: Partial<Record<string, string>> = {
  VHOST_BROKEN: 'refused',
  PORT_HELD: 'port taken',
  CERTIFICATE_EXPIRED: 'expired',
  CERTIFICATE_MISSING: 'no certificate',
  CERTIFICATE_ENDING: 'not renewed',
};

function labelOf({ code, level }: Problem): string {
  if (code === 'UPSTREAM_DOWN') return level === 'bad' ? 'down' : 'partly down';
  return LABELS[code] ?? 'problem';
}

/** The worst problem that the status reports of each site, by the site's id. */
export function reportedProblems(status: Status | null): ReadonlyMap<number, SiteProblem> {
  const found = new Map<number, SiteProblem>();
  const add = (id: number, problem: SiteProblem) => {
    if (!found.has(id)) found.set(id, problem);
  };
  for (const problem of status?.problems ?? []) {
    const { level, vhost, vhosts = vhost ? [vhost] : [], message } = problem;
    for (const { id } of vhosts) add(id, { level, label: labelOf(problem), text: message });
  }
  // Of several sites that wait for the same port, the problem names none.
  for (const { id, detail } of status?.broken ?? []) {
    add(id, { level: 'bad', label: 'refused', text: detail });
  }
  return found;
}

/** @param state undefined if agent or proxy cannot be asked */
export function healthOf(
  { enabled }: Pick<Vhost, 'enabled'>,
  reported: SiteProblem | undefined,
  state: SiteState | undefined,
): Health {
  // The only problem that a site can have while it is off is a refused config.
  if (reported && (enabled || reported.level === 'bad')) return reported;
  if (!enabled) return { level: 'off', label: 'off', text: '' };
  if (!state?.addresses.some(({ served }) => served)) {
    return { level: 'unknown', label: 'not known', text: '' };
  }
  return { level: 'good', label: 'live', text: '' };
}
