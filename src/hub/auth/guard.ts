/** Refuses requests without a session or an API token; every controller but health and sign-in uses it. */
import { Elysia } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { note } from '../../shared/observe/context.ts';
import type { Accounts } from './accounts/accounts.ts';
import { COMMAND_LINE, type CommandLine, noPerson } from './command-line.ts';
import type { SessionCookies } from './sessions/cookie.ts';
import type { SignedIn, User } from './sessions/sessions.ts';
import type { Tokens } from './tokens/tokens.ts';

export type GuardDeps = {
  accounts: Accounts;
  tokens: Tokens;
  cookies: SessionCookies;
  commandLine: CommandLine;
};

/** Who makes a request, and the name and id of the API token it uses; without, it is a session or the command line. */
export type Caller = { user: Pick<User, 'id' | 'name'>; via: string | null; token?: string };

/** The caller as the changelog records them. */
export const authorOf = ({ user, via }: Caller) => ({
  userId: user.id,
  userName: user.name,
  via,
});

const READS = new Set(['GET', 'HEAD']);

/** What the guards add to the context of the controllers that use them. */
type Guarded<Who> = {
  who: Who;
  /** Whether the session or token of the request is still valid. */
  isSignedIn: () => boolean;
};

/**
 * For people, scripts and the command line. Adds `who` and `isSignedIn`. A scoped `derive`: it runs before the body is
 * read, so that a stranger's bad body gets 401. Once a body has been read, which may take minutes,
 * the session or token must still be valid.
 * @throws Failure, per request: UNAUTHENTICATED, FORBIDDEN
 */
export function createGuard({ accounts, tokens, cookies, commandLine }: GuardDeps) {
  return new Elysia({ name: 'guard' })
    .use(cookies)
    .derive({ as: 'scoped' }, ({ request, sessionCookie }): Guarded<Caller> => {
      if (commandLine.isFrom(request)) {
        note({ user: COMMAND_LINE.id });
        return { who: { user: COMMAND_LINE, via: null }, isSignedIn: () => true };
      }
      const { presented, bearer } = sessionCookie;
      const signedIn = accounts.find(presented);
      if (signedIn) {
        note({ user: signedIn.user.id });
        const isSignedIn = () => accounts.isValid(presented);
        return { who: { user: signedIn.user, via: null }, isSignedIn };
      }
      const found = tokens.find(bearer);
      if (!found) throw unauthenticated();
      note({ user: found.user.id });
      if (found.token.scope === 'read' && !READS.has(request.method)) {
        throw new Failure('FORBIDDEN', 'This token is read-only.');
      }
      const isSignedIn = () => tokens.isValid(bearer);
      const { id, name } = found.token;
      return { who: { user: found.user, via: name, token: id }, isSignedIn };
    })
    .onBeforeHandle({ as: 'scoped' }, assertStillSignedIn);
}

/**
 * For what only a person may do: accounts, sessions, passwords and API tokens. Adds the same.
 * @throws Failure, per request: UNAUTHENTICATED, FORBIDDEN
 */
export function createSessionGuard({ accounts, tokens, cookies, commandLine }: GuardDeps) {
  return new Elysia({ name: 'session-guard' })
    .use(cookies)
    .derive({ as: 'scoped' }, ({ request, sessionCookie }): Guarded<SignedIn> => {
      if (commandLine.isFrom(request)) throw noPerson();
      const { presented } = sessionCookie;
      const who = accounts.find(presented);
      if (who) {
        note({ user: who.user.id });
        return { who, isSignedIn: () => accounts.isValid(presented) };
      }
      if (!tokens.find(sessionCookie.bearer)) throw unauthenticated();
      throw noTokens();
    })
    .onBeforeHandle({ as: 'scoped' }, assertStillSignedIn);
}

/**
 * For what outlasts an API token, such as an agent that obeys the hub of its invitation: only for people
 * and the command line. Derive it after the guard, before a body is read.
 * @throws Failure FORBIDDEN
 */
export function assertNoToken({ who }: { who: Caller }): void {
  if (who.via !== null) throw noTokens();
}

/** @throws Failure UNAUTHENTICATED */
function assertStillSignedIn({ request, isSignedIn }: { request: Request } & Guarded<unknown>) {
  if (!READS.has(request.method) && !isSignedIn()) throw unauthenticated();
}

const noTokens = () =>
  new Failure('FORBIDDEN', 'This requires a session; API tokens are not accepted.');

const unauthenticated = () => new Failure('UNAUTHENTICATED', 'Sign in first.');

export type Guard = ReturnType<typeof createGuard>;
export type SessionGuard = ReturnType<typeof createSessionGuard>;
