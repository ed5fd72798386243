/** What a response of a trial says about who gets in. Pure. */
import type { Got } from '../../../src/features/doors/wire.ts';
import type { Outcome } from '../replay/compare.ts';

type Circumstances = {
  /** The words for the number of a reason. */
  reasonOf: (number: number) => string;
  /** The upstreams of the site's sign-in services, as the trial names them. */
  signIns: ReadonlySet<string>;
  /** Whether the site serves files: a missing one is no refusal. */
  hasFiles: boolean;
  /** That was asked for, and whether by HTTPS. */
  host: string;
  tls: boolean;
};

/** Without the path. */
export type Verdict = Omit<Got, 'path'>;

export const unsure = (reason: string): Verdict => ({ opensTo: 'unsure', status: null, reason });

/** Null if the response only leads to HTTPS. */
export function verdictOf(outcome: Outcome, about: Circumstances): Verdict | null {
  if ('unplayed' in outcome) return unsure(about.reasonOf(outcome.unplayed));
  const { reply, isSignIn } = outcome;
  const { status, to, location, authenticate } = reply;
  if (reply.noSite) return unsure('Caddy does not serve it now');
  if (status === null) return { opensTo: 'nobody', status };
  if (isSignIn || (to !== null && about.signIns.has(to))) return { opensTo: 'sign-in', status };
  if (to !== null) return { opensTo: 'anyone', status };
  if (status === 401 && authenticate !== undefined) return { opensTo: 'password', status };
  if (!about.tls && isSecureSelf(location, about.host)) return null;
  if (status < 400 || (status === 404 && about.hasFiles)) return { opensTo: 'anyone', status };
  return { opensTo: 'nobody', status };
}

/** Whether it leads to the same host by HTTPS. */
const isSecureSelf = (location: string | null, host: string): boolean => {
  const to = URL.parse(location ?? '');
  return to?.protocol === 'https:' && to.hostname === host;
};
