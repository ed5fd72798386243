/** Lets nobody pass without a session or an API token; mounted on every controller but health and sign-in. */
import { Elysia } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { note } from '../../shared/observe/context.ts';
import type { Accounts } from './accounts/accounts.ts';
import type { sessionCookie } from './sessions/cookie.ts';
import type { User, Who } from './sessions/sessions.ts';
import type { Tokens } from './tokens/tokens.ts';

export type GuardDeps = {
  accounts: Accounts;
  tokens: Tokens;
  cookies: ReturnType<typeof sessionCookie>;
};

/** Who makes a request, and the name of the API token it comes with; null for a session. */
export type Caller = { user: User; via: string | null };

/** The caller as the changelog names them. */
export const authorOf = ({ user, via }: Caller) => ({
  userId: user.id,
  userName: user.name,
  via,
});

const READS = new Set(['GET', 'HEAD']);

/**
 * For people and scripts. A scoped `derive`: it runs before the body is read, so that a stranger's
 * bad body gets 401. Adds `who` to the context of the controller that uses it.
 */
export function createGuard({ accounts, tokens, cookies }: GuardDeps) {
  return new Elysia({ name: 'guard' })
    .use(cookies)
    .derive({ as: 'scoped' }, ({ request, sessionCookie }): { who: Caller } => {
      const { presented, bearer } = sessionCookie;
      const signedIn = accounts.find(presented);
      if (signedIn) {
        note({ user: signedIn.user.id });
        return { who: { user: signedIn.user, via: null } };
      }
      const use = tokens.find(bearer);
      if (!use) throw unauthenticated();
      note({ user: use.user.id });
      if (use.token.scope === 'read' && !READS.has(request.method)) {
        throw new Failure('FORBIDDEN', 'This token may read only.');
      }
      return { who: { user: use.user, via: use.token.name } };
    });
}

/** For what a person alone may do: accounts, sessions, passwords and tokens themselves. */
export function createSessionGuard({ accounts, tokens, cookies }: GuardDeps) {
  return new Elysia({ name: 'session-guard' })
    .use(cookies)
    .derive({ as: 'scoped' }, ({ sessionCookie }): { who: Who } => {
      const who = accounts.find(sessionCookie.presented);
      if (who) {
        note({ user: who.user.id });
        return { who };
      }
      if (!tokens.find(sessionCookie.bearer)) throw unauthenticated();
      throw new Failure('FORBIDDEN', 'This needs a session: no token may do it.');
    });
}

const unauthenticated = () => new Failure('UNAUTHENTICATED', 'Sign in first.');

export type Guard = ReturnType<typeof createGuard>;
export type SessionGuard = ReturnType<typeof createSessionGuard>;
