/** A problem as the status reports it. */
import { type Static, t } from 'elysia';
import { Timestamp } from '../http/schemas.ts';

export const Problem = t.Object(
  {
    code: t.UnionEnum([
      'AGENT_UNREACHABLE',
      'PROXY_DOWN',
      'VHOST_BROKEN',
      'PORT_HELD',
      'CERTIFICATE_EXPIRED',
      'CERTIFICATE_MISSING',
      'CERTIFICATE_ENDING',
      'UPSTREAM_DOWN',
      'FOREIGN',
      'NOT_IN_STEP',
      'DRIFT',
      'RESTART_NEEDED',
      'DISK_FULL',
      'SIGN_IN_LOCKED',
      'CHANNEL_FAILING',
      'ADVISORY',
      'WARNING',
    ]),
    level: t.UnionEnum(['bad', 'warn'], {
      description: '`bad`: it affects visitors or changes now',
    }),
    vhost: t.Optional(
      t.Object({ id: t.Integer(), domain: t.String() }, { description: 'if it affects only one' }),
    ),
    since: Timestamp,
    agents: t.Optional(
      t.Array(t.String(), {
        description: 'whose proxies it is about; only if the hub has several agents',
      }),
    ),
    message: t.String({
      description: 'for people: the cause, and the fix if there is one',
    }),
  },
  { title: 'Problem' },
);
export type Problem = Static<typeof Problem>;

/** A problem before it is known since when; `since` if the fact itself says so. */
export type Finding = Omit<Problem, 'since'> & { since?: string | null | undefined };

/** How many names anyone reads; a site may have thousands of upstreams. */
const MOST_LISTED = 10;

/** `a`, `a and b`, `a, b and c`; each once, and of many the first. */
export function listed(names: readonly string[]): string {
  const found = [...new Set(names)];
  const more = found.length - MOST_LISTED;
  const all = more > 0 ? [...found.slice(0, MOST_LISTED), `${more} more`] : found;
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : (all[0] ?? '');
}

/** A text as a sentence. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
