/** What features may add to passwords: a second half of each sign-in, other accounts that sign in, other proofs. */
import type { Static, TSchema } from 'elysia';
import type { FailureCode } from '../../shared/failure.ts';
import type { Example } from '../http/about.ts';
import type { OwnCookie } from './sessions/cookie.ts';
import type { Client, Person, User } from './sessions/sessions.ts';

/**
 * Begins the second half of a sign-in, in the transaction of the first.
 * @param method that of the first half
 * @returns the challenge for the browser; null if the account needs no second half
 * @throws Failure SECRET_KEY_UNUSABLE
 */
export type BeginSecondHalf = (
  user: User,
  client: Client,
  method: 'password' | 'oidc',
) => string | null;

/** The cookie with that challenge, and how many seconds there are for an answer. */
export const SECOND_HALF = { cookie: 'two_factor', seconds: 600 } as const;

/** An account of a sign-in service that signs in to one here. */
export type LinkedAccount = Readonly<{
  id: string;
  userId: string;
  provider: string;
  issuer: string;
  /** The `sub` of the service. */
  subject: string;
  createdAt: Date;
}>;

/** The linked accounts of a user, oldest first. */
export type LinkedOf = (userId: string) => readonly LinkedAccount[];

/** What people who have a session may send to prove again who they are. */
export type Proof<Schema extends TSchema = TSchema> = Readonly<{
  /** Its field in the body of `POST /api/auth/prove`. */
  field: string;
  schema: Schema;
  /** For people, such as `a password`. */
  name: string;
  example: Example;
  /** What it can be refused with. */
  refusals: readonly FailureCode[];
  /** @throws Failure if it does not prove that this is who has the session */
  check(who: Person, given: Static<Schema>, ownCookie: (name: string) => OwnCookie): Promise<void>;
}>;
