/** How an agent without AGENT_TOKEN gets a hub, and then that hub's next tokens. */
import { timingSafeEqual } from 'node:crypto';
import { Elysia } from 'elysia';
import { newToken, tokenHash } from '../../src/shared/bearer.ts';
import { FAILURES, Failure } from '../../src/shared/failure.ts';
import { jsonBody } from '../../src/shared/json-body.ts';
import type { Log } from '../../src/shared/log.ts';
import {
  AgentErrorBody,
  EnrolRequest,
  ForgetRequest,
  Stored,
  TokenRequest,
} from '../../src/shared/wire/protocol.ts';
import type { ProxyControl } from '../caddy/proxy.ts';
import type { Credentials } from './credentials.ts';

export type Enrolment = {
  credentials: Credentials;
  /** Null if nobody is invited. */
  invitation: OpenInvitation | null;
};

/** Many times what either request has. */
const BODY_LIMIT = 4 * 1024;

const refusals = { 400: AgentErrorBody, 401: AgentErrorBody, 409: AgentErrorBody };

/** Open to strangers: the secret in the body is what counts. */
export function enrolRoute({ credentials, invitation }: Enrolment, proxy: ProxyControl, log: Log) {
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
export function tokenRoutes({ credentials }: Enrolment, log: Log) {
  return new Elysia()
    .post(
      '/token',
      ({ body: { token } }) => {
        credentials.rotate(token);
        log('token rotated');
        return { success: true as const };
      },
      { body: TokenRequest, response: { 200: Stored, 400: AgentErrorBody } },
    )
    .post(
      '/token/forget',
      ({ body: { hub, term = 1 } }) => {
        credentials.forget({ hub, term });
        log('token forgotten', { hub });
        return { success: true as const };
      },
      { body: ForgetRequest, response: { 200: Stored, ...refusals } },
    );
}

/** The one-time secret of an invitation: for ten minutes, one use and a few wrong tries. */
export type OpenInvitation = {
  /** 32 random bytes as base64url; only its hash is kept. */
  secret: string;
  /**
   * Runs `use` if the secret is right, and closes the invitation unless that fails.
   * @throws Failure INVITATION_INVALID, the same for every reason; whatever `use` throws
   */
  redeem<T>(secret: string, use: () => Promise<T>): Promise<T>;
};

const LIFETIME_MS = 10 * 60_000;
const MOST_WRONG = 5;

/**
 * @param elapsed milliseconds on a clock that nobody sets
 * @param closed called once nobody can use it any more because of wrong tries
 */
export function createOpenInvitation(elapsed: () => number, closed: () => void): OpenInvitation {
  const secret = newToken();
  const wanted = tokenHash(secret);
  const until = elapsed() + LIFETIME_MS;
  let state: 'open' | 'in use' | 'closed' = 'open';
  let wrong = 0;

  function refuse(isRight: boolean): void {
    if (isRight || state === 'closed' || ++wrong < MOST_WRONG) return;
    state = 'closed';
    closed();
  }

  return {
    secret,
    async redeem(given, use) {
      // Compared even if it is closed, so that the time says nothing.
      const isRight = timingSafeEqual(tokenHash(given), wanted);
      if (!isRight || state !== 'open' || elapsed() >= until) {
        refuse(isRight);
        throw invalid();
      }
      state = 'in use';
      try {
        const result = await use();
        state = 'closed';
        return result;
      } catch (error) {
        // Wrong tries may have closed it meanwhile.
        if (wrong < MOST_WRONG) state = 'open';
        throw error;
      }
    },
  };
}

const invalid = () => new Failure('INVITATION_INVALID', FAILURES.INVITATION_INVALID.meaning);
