/** How an agent that has no AGENT_TOKEN comes by a hub, and by that hub's next tokens. */
import { Elysia } from 'elysia';
import { jsonBody } from '../../src/shared/http.ts';
import type { Log } from '../../src/shared/log.ts';
import { AgentErrorBody } from '../../src/shared/wire.ts';
import { EnrolRequest, Stored, TokenRequest } from '../../src/shared/wire-enrol.ts';
import type { ProxyControl } from '../caddy/proxy.ts';
import type { Credentials } from './credentials.ts';
import { invalid, type OpenInvitation } from './open-invitation.ts';

export type EnrolmentDeps = {
  credentials: Pick<Credentials, 'enrol' | 'rotate'>;
  /** Null if nobody is invited. */
  invitation: Pick<OpenInvitation, 'redeem'> | null;
  proxy: Pick<ProxyControl, 'enrol'>;
  log: Log;
};

/** Many times what either request has. */
const BODY_LIMIT = 4 * 1024;

const refusals = { 400: AgentErrorBody, 401: AgentErrorBody, 409: AgentErrorBody };

/** Open to strangers: the secret in the body is what counts. */
export function enrolRoute({ credentials, invitation, proxy, log }: EnrolmentDeps) {
  return new Elysia().use(jsonBody(BODY_LIMIT)).post(
    '/enrol',
    async ({ body: { secret, hub, term, token, replace } }) => {
      if (invitation === null) throw invalid();
      await invitation.redeem(secret, () =>
        proxy.enrol({ hub, term }, () => credentials.enrol({ hub, term }, token), replace),
      );
      log('hub enrolled', { hub, term });
      return { success: true as const };
    },
    { body: EnrolRequest, response: { 200: Stored, ...refusals } },
  );
}

/** For the enrolled hub: mount it after the guard. */
export function tokenRoute({ credentials, log }: Pick<EnrolmentDeps, 'credentials' | 'log'>) {
  return new Elysia().post(
    '/token',
    ({ body: { token } }) => {
      credentials.rotate(token);
      log('token rotated');
      return { success: true as const };
    },
    { body: TokenRequest, response: { 200: Stored, 400: AgentErrorBody } },
  );
}
