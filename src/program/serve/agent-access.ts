/** How an agent knows its hub, and Caddy its agent: by the token of the settings, or by enrolment. */

import type { EnrolledHub } from '../../../agent/caddy/proxy.ts';
import { createCredentials } from '../../../agent/enrolment/credentials.ts';
import { createOpenInvitation, type Enrolment } from '../../../agent/enrolment/enrolment.ts';
import { fixedToken, type KnownToken } from '../../shared/bearer.ts';
import type { Log } from '../../shared/log.ts';
import { keepSecret } from '../../shared/system/files.ts';
import type { AgentSettings } from '../agent-settings.ts';
import { SECRET_BYTES, secretReplaced } from './first-run.ts';

type AgentAccess = {
  isKnown: KnownToken;
  /** From which the name derives that Caddy's admin endpoint knows it by. */
  secret: string;
  /** The hub that it obeys; null with a token of the settings, or before the first enrolment. */
  enrolled: EnrolledHub | null;
  /** Null with a token of the settings. */
  enrolment: Enrolment | null;
};

/** Characters; 256 bits as base64url have 43. */
const SHORTEST_SECRET = 43;

/**
 * @param token of the settings; null for an agent that is or will be enrolled
 * @throws Error if a file of the enrolment is damaged; file system errors
 */
export function createAgentAccess(
  { enrolment }: Pick<AgentSettings, 'enrolment'>,
  token: string | null,
  log: Log,
): AgentAccess {
  if (enrolment === null || token !== null) {
    const secret = token ?? '';
    return { isKnown: fixedToken(secret), secret, enrolled: null, enrolment: null };
  }
  const credentials = createCredentials(enrolment.credentials, log);
  const secret = keepSecret({
    file: enrolment.adminSecret,
    bytes: SECRET_BYTES,
    shortest: SHORTEST_SECRET,
    onReplaced: secretReplaced(log),
  });
  const tooOften = () => log('invitation closed', { reason: 'too many wrong tries' }, 'warn');
  const invitation = enrolment.invites
    ? createOpenInvitation(() => performance.now(), tooOften)
    : null;
  return {
    isKnown: credentials.isKnown,
    secret,
    enrolled: credentials.enrolled(),
    enrolment: { credentials, invitation },
  };
}
