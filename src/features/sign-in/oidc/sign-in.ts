/** Signing in with the sign-in service, and linking an account of it, from the click to the way back. */

import { recordSecurity } from '../../../hub/auth/security-log.ts';
import type { Client, Person, SignedIn, User } from '../../../hub/auth/sessions/sessions.ts';
import type { HubCore } from '../../../hub/core.ts';
import { inTransaction } from '../../../hub/db/open.ts';
import { FAILURES, Failure, type FailureCode } from '../../../shared/failure.ts';
import { clip, oneLine } from '../../../shared/one-line.ts';
import type { Challenges } from '../challenges.ts';
import type { LinkedAccounts } from './linked-accounts.ts';
import type { Identity, Service } from './service.ts';

/** Paths of the hub, to which the browser returns. */
export type Return = { callbackURL: string; errorCallbackURL: string };

/** A session; or a challenge instead, if the account has a second factor. */
type Begun = SignedIn | { challenge: string };

/** Why a visit of the service led to nothing, as better-auth says it in `?error=`. */
type Problem =
  | 'state_mismatch'
  | 'access_denied'
  | 'invalid_code'
  | 'account_not_linked'
  | 'account_already_linked_to_different_user'
  | 'unable_to_link_account'
  | 'invitation_invalid'
  | 'email_not_found'
  | 'user_already_exists'
  | 'rate_limited';

export type OidcSignIn = {
  /**
   * @param from `link`: whose account it is to be linked to; else it signs in
   * @returns where to send the browser, and what it has to keep
   * @throws Failure INVITATION_INVALID, OIDC_UNREACHABLE, RATE_LIMITED
   */
  begin(
    to: Return & { invitation?: string | undefined },
    from: { client: Client; link?: Person },
  ): Promise<{ url: string; challenge: string }>;
  /**
   * @param challenge what the browser kept
   * @param answer the query with which it comes back
   * @param client `previous`: the token of the session that it has
   * @returns the path to go on to
   */
  finish(
    challenge: string | null,
    answer: URLSearchParams,
    client: Client & { previous: string | null },
  ): Promise<{ to: string; begun?: Begun }>;
};

type Comer = Client & { previous: string | null };

type Kept = Return & {
  /** The id of an invitation. */
  invitation?: string;
  /** The id of the session that links. */
  session?: string;
};

type Found = Awaited<ReturnType<Service['finish']>>;

export function createOidcSignIn(
  { db, now, accounts, invitations, limits, signInFailed, log }: HubCore,
  service: Service,
  linked: LinkedAccounts,
  challenges: Challenges,
): OidcSignIn {
  const warn = (error: unknown) => log('sign-in service', { error: wordsOf(error) }, 'warn');

  /** What the service says; whatever is wrong with that. @throws Refusal */
  const ask = <T>(question: () => Promise<T>): Promise<T> =>
    question().catch((error: unknown) => {
      warn(error);
      throw new Refusal(isDenied(error) ? 'access_denied' : 'invalid_code');
    });

  /** @throws Refusal */
  const link = (identity: Identity, kept: Kept, client: Comer) =>
    inTransaction(db, () => {
      const who = accounts.find(client.previous);
      if (!who || who.session.id !== kept.session) throw new Refusal('unable_to_link_account');
      const owner = linked.find(identity);
      if (!owner) linked.add(identity, { ...who, via: null, client });
      else if (owner.id !== who.user.id) {
        throw new Refusal('account_already_linked_to_different_user');
      }
    });

  /** @throws Refusal; Failure as `Accounts.createInvited` */
  async function accept(found: Found, id: string, client: Client): Promise<User> {
    const profile = await ask(found.profile);
    return inTransaction(db, () => {
      const invitation = invitations.check({ id }, null);
      const email = profile.email ?? invitation.email;
      if (email === null) throw new Refusal('email_not_found');
      const named = { name: (profile.name ?? email).slice(0, LONGEST_NAME), email };
      const user = accounts.createInvited(named, { client, invitation });
      linked.add(found, { user, via: null, client });
      return user;
    });
  }

  /** @throws Refusal; Failure as `Accounts.createInvited` */
  async function signIn(found: Found, { invitation }: Kept, client: Comer): Promise<Begun> {
    const known = linked.find(found);
    if (!known && invitation === undefined) throw new Refusal('account_not_linked');
    const user = known ?? (await accept(found, invitation ?? '', client));
    return accounts.signInAs(user, client);
  }

  return {
    async begin({ invitation: token, ...to }, { client, link: person }) {
      limits.checkAddress(client.ip);
      const data: Kept = {
        ...to,
        ...(token !== undefined && { invitation: invitations.check({ token }, null).id }),
        ...(person && { session: person.session.id }),
      };
      limits.takeVisit(client.ip);
      const challenge = challenges.begin('oidc', { userId: person?.user.id ?? null, data });
      try {
        return { url: (await service.begin(challenge)).href, challenge };
      } catch (error) {
        warn(error);
        throw new Failure('OIDC_UNREACHABLE', FAILURES.OIDC_UNREACHABLE.meaning);
      }
    },

    async finish(id, answer, client) {
      const challenge = challenges.take('oidc', id);
      if (id === null || !challenge) return { to: withProblem('/', 'state_mismatch') };
      const kept = challenge.data as Kept;
      const to = kept.callbackURL;
      let found: Found | undefined;
      try {
        limits.checkAddress(client.ip);
        found = await ask(() => service.finish(id, answer));
        if (challenge.userId !== null) {
          link(found, kept, client);
          return { to };
        }
        const begun = await signIn(found, kept, client);
        return {
          to: 'session' in begun ? to : withParameter(to, 'twoFactorRedirect', 'true'),
          begun,
        };
      } catch (error) {
        const problem = problemOf(error);
        if (problem === null) throw error;
        if (problem !== 'access_denied' && problem !== 'rate_limited') {
          limits.takeAddress(client.ip);
          const name = found?.subject ?? '';
          const actor = { user: { id: null, name }, via: null, client };
          recordSecurity(db, now(), actor, { kind: 'sign-in', outcome: 'refused', detail: 'oidc' });
          signInFailed('oidc', client.ip, name);
        }
        return { to: withProblem(kept.errorCallbackURL, problem) };
      }
    },
  };
}

/** More than anybody is called; each entry of the changelog has it. */
const LONGEST_NAME = 100;

class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem);
  }
}

const PROBLEMS: Partial<Record<FailureCode, Problem>> = {
  INVITATION_INVALID: 'invitation_invalid',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'user_already_exists',
  VALIDATION_ERROR: 'email_not_found',
  RATE_LIMITED: 'rate_limited',
};

/** Null for an error of the hub's own. */
function problemOf(error: unknown): Problem | null {
  if (error instanceof Refusal) return error.problem;
  return (error instanceof Failure && PROBLEMS[error.code]) || null;
}

/** What the service answers if a person does not want to (RFC 6749 4.1.2.1). */
const isDenied = (error: unknown): boolean =>
  error instanceof Error && 'error' in error && error.error === 'access_denied';

/** What an error of the library says; its other fields may hold codes and tokens. */
function wordsOf(error: unknown): string {
  const { message, cause, error: code } = error as { message: string } & Record<string, unknown>;
  const words = [
    message,
    cause instanceof Error && cause.message,
    typeof code === 'string' && code,
  ];
  return clip(oneLine(words.filter(Boolean).join(': ')));
}

const withProblem = (path: string, problem: Problem) => withParameter(path, 'error', problem);

/** @param path of the hub */
function withParameter(path: string, name: string, value: string): string {
  const url = new URL(path, 'http://hub');
  url.searchParams.set(name, value);
  return `${url.pathname}${url.search}${url.hash}`;
}
