/** What adding a passkey and signing in with one have in common (WebAuthn level 3). */

import type { Origins } from '../../../hub/auth/client.ts';
import { Failure } from '../../../shared/failure.ts';
import { loadOnce } from '../../../shared/memoize.ts';
import type { Challenge, ChallengeKind, Challenges } from '../challenges.ts';

/** What authenticators bind passkeys to: a host, and the pages that may use them. */
type RelyingParty = { id: string; origins: readonly string[] };

/** @param origins of the hub, not the request's: a page must not choose them */
export function partyOf([first, ...others]: Origins): RelyingParty {
  const { hostname, origin } = new URL(first);
  return { id: hostname, origins: [origin, ...others] };
}

/** What a browser has to sign, and the id of the challenge that it keeps. */
export type Begun<Options> = { options: Options; challenge: string };

/** An authenticator's response, for the challenge whose id the browser keeps. */
export type Answer<Response> = {
  response: Omit<Response, 'clientExtensionResults'>;
  challenge: string | null;
};

/** Only who has a passkey needs it, so it is not loaded at start-up. */
export const loadWebAuthn = loadOnce(async () => {
  // First: without it, the library does not start in the binary.
  await import('reflect-metadata');
  return import('@simplewebauthn/server');
});

/** What every response has to be, besides an answer to its challenge. */
export function expectedOf({ id, origins }: RelyingParty) {
  return { expectedRPID: id, expectedOrigin: [...origins], requireUserVerification: true };
}

/** Uses up a challenge. @throws Failure CHALLENGE_NOT_FOUND */
export function takeChallenge(
  challenges: Challenges,
  kind: ChallengeKind,
  id: string | null,
): Challenge & { expectedChallenge: string } {
  const found = challenges.take(kind, id);
  if (found) return { ...found, expectedChallenge: String(found.data.challenge) };
  const message = 'This took too long, or was begun elsewhere: try again.';
  throw new Failure('CHALLENGE_NOT_FOUND', message);
}
