/** Lets nobody pass without a session; mounted on every controller but health and sign-in. */
import { Elysia } from 'elysia';
import { Failure } from '../../agent/failure.ts';
import type { sessionCookie } from './cookie.ts';
import type { Accounts } from './service.ts';
import type { Who } from './sessions.ts';

type Cookies = ReturnType<typeof sessionCookie>;

/**
 * A scoped `derive`: it runs before the body is read, so that a stranger's bad body gets 401.
 * Adds `who` to the context of the controller that uses it.
 */
export function createGuard(accounts: Accounts, cookies: Cookies) {
  return new Elysia({ name: 'guard' })
    .use(cookies)
    .derive({ as: 'scoped' }, ({ sessionCookie }): { who: Who } => {
      const who = accounts.find(sessionCookie.presented);
      if (!who) throw unauthenticated();
      return { who };
    });
}

/** For what a person alone may do: accounts, sessions, passwords. */
export function createSessionGuard(accounts: Accounts, cookies: Cookies) {
  return new Elysia({ name: 'session-guard' })
    .use(cookies)
    .derive({ as: 'scoped' }, ({ sessionCookie }): { who: Who } => {
      const who = accounts.find(sessionCookie.presented);
      if (!who) throw unauthenticated();
      return { who };
    });
}

const unauthenticated = () => new Failure('UNAUTHENTICATED', 'Sign in first.');

export type Guard = ReturnType<typeof createGuard>;
export type SessionGuard = ReturnType<typeof createSessionGuard>;
