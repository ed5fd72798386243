/** Lets nobody pass without a session; mounted on every controller but health and sign-in. */
import { Elysia } from 'elysia';
import { Failure } from '../../agent/failure.ts';
import type { sessionCookie } from './cookie.ts';
import type { Accounts } from './service.ts';

/**
 * A scoped `derive`: it runs before the body is read, so that a stranger's bad body gets 401.
 * Adds `who` to the context of the controller that uses it.
 */
export function createGuard(accounts: Accounts, cookies: ReturnType<typeof sessionCookie>) {
  return new Elysia({ name: 'guard' })
    .use(cookies)
    .derive({ as: 'scoped' }, ({ sessionCookie }) => {
      const who = accounts.find(sessionCookie.presented);
      if (!who) throw new Failure('UNAUTHENTICATED', 'Sign in first.');
      return { who };
    });
}

export type Guard = ReturnType<typeof createGuard>;
