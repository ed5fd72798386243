/** What the hub reported as wrong, for people. Pure. */
import { plural } from '../lib/format.ts';
import type { Incident } from '../lib/types.ts';

/** What it is about, if it is about neither a site nor one of several proxies. */
export const SUBJECTS: Readonly<Record<Incident['event'], string>> = {
  'certificate.ending': 'Certificate',
  'certificate.failed': 'Certificate',
  'proxy.down': 'Caddy',
  'agent.unreachable': 'Agent',
  'agent.behind': 'Caddy',
  'program.returned': 'Caddy',
  drift: 'Caddyfile',
  'vhost.broken': 'Site',
  'upstream.down': 'Upstream',
  'check.failing': 'Check',
  'sign-in.locked': 'Sign-in',
  'sign-in.new-address': 'Sign-in',
  'account.changed': 'Account',
  'disk.full': 'Disk',
  'backup.failed': 'Backup',
  'visitor.refused': 'Site',
};

/** Where the rest can be looked into. */
const PAGES: Partial<Record<Incident['event'], string>> = {
  'certificate.ending': '/certificates',
  'certificate.failed': '/certificates',
  drift: '/import',
};

/** What it is about, and its page; null: it has none. */
export function subjectOf({ event, vhost, agent }: Incident): { name: string; to: string | null } {
  if (vhost) return { name: vhost.domain, to: `/sites/${vhost.id}` };
  if (agent !== undefined) return { name: agent, to: `/proxies/${agent}` };
  return { name: SUBJECTS[event], to: PAGES[event] ?? null };
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** How it ended: what nobody watches any more may still be there. @param overAt ISO 8601 */
export const endOf = ({ beganAt, dropped }: Incident, overAt: string): string =>
  `${dropped ? 'no longer watched' : 'resolved'} after ${lasting(beganAt, overAt)}`;

/** `3 minutes`, `2 days`; within a minute `less than a minute`. @param from, to ISO 8601 */
export function lasting(from: string, to: string): string {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  const [unit, length] = UNITS.find(([, least]) => seconds >= least) ?? [];
  if (unit === undefined || length === undefined) return 'less than a minute';
  return plural(Math.floor(seconds / length), unit);
}
