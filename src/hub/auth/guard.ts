/** Refuses requests of those who may not make them; every controller but health and sign-in uses it. */
import { Elysia } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { note } from '../../shared/observe/requests.ts';
import { ROLES, type Role } from '../../shared/roles.ts';
import type { Db } from '../db/open.ts';
import type { Demands } from '../http/about.ts';
import type { Accounts } from './accounts/accounts.ts';
import { clientOf } from './client.ts';
import { COMMAND_LINE, type CommandLine, noPerson } from './command-line.ts';
import {
  type Actor,
  recordSecurity,
  type SecurityEvent,
  type SecurityWrites,
} from './security-log.ts';
import type { SessionCookies } from './sessions/cookie.ts';
import {
  assertFresh,
  type Client,
  type Person,
  type Session,
  type User,
  unauthenticated,
} from './sessions/sessions.ts';
import type { Scope, Tokens } from './tokens/tokens.ts';
import { tryToNote } from './try-to-note.ts';

type GuardDeps = {
  accounts: Accounts;
  tokens: Tokens;
  cookies: SessionCookies;
  commandLine: CommandLine;
  addressOf: (request: Request) => string;
  now: () => Date;
  db: Db;
  /** Whether something happens for the first time in a while. */
  isFirst: (what: string) => boolean;
  /** What a route declares, by `METHOD /path`. */
  demands: () => ReadonlyMap<string, Demands>;
};

/** Who makes a request, and the name and id of the API token it uses; without, it is a session or the command line. */
export type Caller = {
  user: Pick<User, 'id' | 'name' | 'role'>;
  via: string | null;
  token?: string;
  client: Client;
  /** Whether they may do this still, however long it waited. @throws Failure UNAUTHENTICATED, FORBIDDEN_ROLE */
  assertAllowed: () => void;
};

/** Whether `role` may do what `needed` may. */
export const isAtLeast = (role: Role, needed: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** Whether the caller gets no config, and nothing that may quote one. */
export const isViewer = ({ user }: Pick<Caller, 'user'>): boolean =>
  !isAtLeast(user.role, 'editor');

/** The caller as the changelog records them. */
export const authorOf = ({ user, via, assertAllowed }: Caller) => ({
  userId: user.id,
  userName: user.name,
  via,
  assertAllowed,
});

/** The same, for a change that the security log records with it. */
export const recordedAuthorOf = (who: Caller, event: SecurityEvent) => ({
  ...authorOf(who),
  also: (tx: SecurityWrites, time: Date) => recordSecurity(tx, time, who, event),
});

const READS = new Set(['GET', 'HEAD']);

/** What the guards add to the context of the controllers that use them. */
type Guarded<Who> = {
  who: Who;
  /** Whether the session or token of the request is still valid, and its role may still do this. */
  isAllowed: () => boolean;
  /** @throws Failure UNAUTHENTICATED, FORBIDDEN_ROLE if not */
  assertAllowed: () => void;
};

type ForOwners = {
  /**
   * For a request that concerns what is for owners alone, as only its body or its path tells: as with
   * `needs: 'owner'`, `access: 'session'` and `fresh`.
   * @throws Failure FORBIDDEN, FORBIDDEN_ROLE, SESSION_NOT_FRESH
   */
  assertOwner: () => void;
};

type Asked = { request: Request; route: string };

function createDemands({ demands, now, db, isFirst, accounts }: GuardDeps) {
  /** Records that somebody is refused, at most once a minute for each route. */
  function refused({ request, route }: Asked, who: Actor, failure: Failure): Failure {
    const target = `${request.method} ${route}`;
    if (isFirst(`${who.user.id} ${target}`)) {
      const event = { kind: 'refusal', target, outcome: 'refused', detail: failure.code } as const;
      tryToNote(() => recordSecurity(db, now(), who, event));
    }
    return failure;
  }

  /** @throws Error for a route that declares nothing: nobody may call it */
  function of({ request, route }: Asked): Demands & { needs: Role } {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const declared = demands().get(`${method} ${route}`);
    if (!declared?.needs) throw new Error(`${method} ${route} declares no role`);
    return declared;
  }

  /** @throws Failure FORBIDDEN_ROLE */
  function assertRole(asked: Asked, who: Caller): void {
    const { needs } = of(asked);
    if (!isAtLeast(who.user.role, needs)) throw refused(asked, who, forbiddenRole(needs));
  }

  /** Both check `role` as it is when they are called. */
  const still = (asked: Asked, role: () => Role | null) => ({
    isAllowed() {
      const found = role();
      return found !== null && isAtLeast(found, of(asked).needs);
    },
    assertAllowed() {
      const found = role();
      if (found === null) throw unauthenticated();
      const { needs } = of(asked);
      if (!isAtLeast(found, needs)) throw forbiddenRole(needs);
    },
  });

  return {
    assertRole,
    still,
    /** Whoever has the session with this token; null if there is none. @throws Failure FORBIDDEN_ROLE, SESSION_NOT_FRESH */
    bySession(asked: Asked, token: string | null, client: Client): Guarded<Person> | null {
      const signedIn = accounts.find(token);
      if (!signedIn) return null;
      note({ user: signedIn.user.id });
      const checks = still(asked, () => accounts.roleOf(token));
      const who = { ...signedIn, via: null, client, assertAllowed: checks.assertAllowed };
      assertRole(asked, who);
      if (of(asked).fresh) assertFresh(who.session, now());
      return { who, ...checks };
    },
    /** @throws Failure FORBIDDEN if no token with this scope is accepted */
    assertToken(asked: Asked, who: Actor, scope: Scope): void {
      if (of(asked).access === 'session') throw refused(asked, who, noTokens());
      if (scope === 'write' || READS.has(asked.request.method)) return;
      throw refused(asked, who, new Failure('FORBIDDEN', 'This token is read-only.'));
    },
    noTokens: (asked: Asked, who: Actor) => refused(asked, who, noTokens()),
    /** @param session null for a token */
    forOwners: (asked: Asked, who: Actor & Caller, session: Session | null): ForOwners => ({
      assertOwner() {
        if (!session) throw refused(asked, who, noTokens());
        if (!isAtLeast(who.user.role, 'owner')) throw refused(asked, who, forbiddenRole('owner'));
        assertFresh(session, now());
      },
    }),
  };
}

/**
 * For people, scripts and the command line. Adds `who` and `isAllowed`. A scoped `derive`: it runs before the body is
 * read, so that a stranger's bad body gets 401. Once a body has been read, which may take minutes,
 * the session or token must still be valid, and the role still suffice.
 * @throws Failure, per request: UNAUTHENTICATED, FORBIDDEN, FORBIDDEN_ROLE, SESSION_NOT_FRESH
 */
export function createGuard(deps: GuardDeps) {
  const { tokens, cookies, commandLine, addressOf } = deps;
  const demands = createDemands(deps);
  return new Elysia({ name: 'guard' })
    .use(cookies)
    .derive({ as: 'scoped' }, ({ request, route, sessionCookie }): Guarded<Caller> & ForOwners => {
      const asked = { request, route };
      const client = clientOf(request, addressOf(request));
      if (commandLine.isFrom(request)) {
        note({ user: COMMAND_LINE.id });
        const assertAllowed = () => {};
        const who = { user: COMMAND_LINE, via: null, client, assertAllowed };
        return { who, isAllowed: () => true, assertAllowed, assertOwner: () => {} };
      }
      const { presented, bearer } = sessionCookie;
      const person = demands.bySession(asked, presented, client);
      if (person) return { ...person, ...demands.forOwners(asked, person.who, person.who.session) };
      const found = tokens.find(bearer);
      if (!found) throw unauthenticated();
      const { user, token } = found;
      note({ user: user.id });
      const still = demands.still(asked, () => tokens.roleOf(bearer));
      const { assertAllowed } = still;
      const who = { user, via: token.name, token: token.id, client, assertAllowed };
      demands.assertToken(asked, who, token.scope);
      demands.assertRole(asked, who);
      return {
        who,
        ...still,
        ...demands.forOwners(asked, who, null),
      };
    })
    .onBeforeHandle({ as: 'scoped' }, assertStillAllowed);
}

/**
 * For what only a person may do: accounts, sessions, passwords and API tokens. Adds the same.
 * @throws Failure, per request: UNAUTHENTICATED, FORBIDDEN, FORBIDDEN_ROLE, SESSION_NOT_FRESH
 */
export function createSessionGuard(deps: GuardDeps) {
  const { tokens, cookies, commandLine, addressOf } = deps;
  const demands = createDemands(deps);
  return new Elysia({ name: 'session-guard' })
    .use(cookies)
    .derive({ as: 'scoped' }, ({ request, route, sessionCookie }): Guarded<Person> => {
      if (commandLine.isFrom(request)) throw noPerson();
      const asked = { request, route };
      const client = clientOf(request, addressOf(request));
      const person = demands.bySession(asked, sessionCookie.presented, client);
      if (person) return person;
      const found = tokens.find(sessionCookie.bearer);
      if (!found) throw unauthenticated();
      const { user, token } = found;
      throw demands.noTokens(asked, { user, via: token.name, client });
    })
    .onBeforeHandle({ as: 'scoped' }, assertStillAllowed);
}

/** @throws Failure UNAUTHENTICATED, FORBIDDEN_ROLE */
function assertStillAllowed({ request, assertAllowed }: { request: Request } & Guarded<unknown>) {
  if (!READS.has(request.method)) assertAllowed();
}

const noTokens = () =>
  new Failure('FORBIDDEN', 'This requires a session; API tokens are not accepted.');

export const forbiddenRole = (needs: Role) =>
  new Failure('FORBIDDEN_ROLE', `This requires the role “${needs}”.`, { needs });

export type Guard = ReturnType<typeof createGuard>;
export type SessionGuard = ReturnType<typeof createSessionGuard>;
