/** Finds out how a site is: its worst problem, or that it has none, or that nobody knows. Pure. */
import type { SiteState, Status, Vhost } from '../lib/types.ts';

export type SiteProblem = { level: 'bad' | 'warn'; label: string; text: string };

/** `text` is empty if the label says everything. */
export type Health =
  | SiteProblem
  | { level: 'unknown' | 'good' | 'off'; label: string; text: string };

/** What the status reports, worst first. */
type Reported = {
  problems?: readonly {
    code: string;
    level: 'bad' | 'warn';
    vhost?: { id: number } | null | undefined;
    message: string;
  }[];
};

const LABELS: Partial<Record<string, string>> = {
  VHOST_BROKEN: 'refused',
  PORT_HELD: 'port taken',
  CERTIFICATE_EXPIRED: 'expired',
  CERTIFICATE_MISSING: 'no certificate',
  CERTIFICATE_ENDING: 'not renewed',
  UPSTREAM_DOWN: 'down',
};

/** The worst problem that the status reports of each site, by the site's id. */
export function reportedProblems(
  status: (Status & Reported) | null,
): ReadonlyMap<number, SiteProblem> {
  const found = new Map<number, SiteProblem>();
  const add = (id: number, problem: SiteProblem) => {
    if (!found.has(id)) found.set(id, problem);
  };
  for (const { code, level, vhost, message } of status?.problems ?? []) {
    if (vhost) add(vhost.id, { level, label: LABELS[code] ?? 'problem', text: message });
  }
  for (const { id, detail } of status?.broken ?? []) {
    add(id, { level: 'bad', label: 'refused', text: detail });
  }
  for (const { id, name, daysLeft, overdue } of status?.certificates ?? []) {
    const text = `The certificate of ${name} was not renewed.`;
    if (overdue) add(id, { level: 'warn', label: `${daysLeft} days left`, text });
  }
  return found;
}

/** Null: none is known. The only problem a site can have while it is off is a refused config. */
export function problemOf(
  site: Vhost,
  reported: SiteProblem | undefined,
  state: SiteState | undefined,
): SiteProblem | null {
  if (reported?.level === 'bad') return reported;
  if (!site.enabled) return null;
  return (state && problemIn(state)) ?? reported ?? null;
}

function problemIn({ addresses, upstreams, errors }: SiteState): SiteProblem | null {
  const bare = addresses.find(({ tls, certificate, reason }) => tls && !certificate && reason);
  if (bare) {
    const text = bare.advice?.message ?? errors.acme?.message ?? bare.reason ?? '';
    return { level: 'bad', label: 'no certificate', text: `${bare.name}: ${text}` };
  }
  const expired = addresses.find(({ certificate }) => (certificate?.daysLeft ?? 0) < 0);
  if (expired) {
    const text = `The certificate of ${expired.name} has expired.`;
    return { level: 'bad', label: 'expired', text };
  }
  const down = upstreams.filter(({ up }) => up === false);
  if (down.length === 0) return null;
  const all = down.length === upstreams.length;
  return {
    level: all ? 'bad' : 'warn',
    label: all ? 'down' : 'partly down',
    text: down
      .map(({ address, error }) => `${address} ${error?.message ?? 'does not answer'}`)
      .join('\n'),
  };
}

/** @param state undefined if agent or proxy cannot be asked */
export function healthOf(
  site: Vhost,
  reported: SiteProblem | undefined,
  state: SiteState | undefined,
): Health {
  const problem = problemOf(site, reported, state);
  if (problem) return problem;
  if (!site.enabled) return { level: 'off', label: 'off', text: '' };
  if (!state?.addresses.some(({ served }) => served)) {
    return { level: 'unknown', label: 'not known', text: '' };
  }
  return { level: 'good', label: 'live', text: '' };
}
