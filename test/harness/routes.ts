/** Every route that the two apps register. */
import { join } from 'node:path';
import { createAgent } from '../../agent/app.ts';
import { createHub } from '../../src/hub/app.ts';
import { createAccounts } from '../../src/hub/auth/accounts/accounts.ts';
import { createDirectory } from '../../src/hub/auth/accounts/directory.ts';
import { createSetupCode } from '../../src/hub/auth/accounts/setup-code.ts';
import { createCommandLine } from '../../src/hub/auth/command-line.ts';
import { createTokens } from '../../src/hub/auth/tokens/tokens.ts';
import { openDatabase } from '../../src/hub/db/open.ts';
import type { RegisteredRoute } from '../../src/hub/openapi/document.ts';
import { PACE } from '../../src/hub/pace.ts';

export type Route = {
  method: string;
  path: string;
  /** Left out of the OpenAPI document on purpose. */
  hidden: boolean;
};
type Registered = RegisteredRoute & { hooks: { detail?: { hide?: boolean } } };

const metrics = { text: async () => '', contentType: '', request: () => {} } as never;

const routeOf = ({ method, path, hooks }: Registered): Route => ({
  method,
  path,
  hidden: hooks.detail?.hide === true,
});

/** @param folder for an empty database */
export const hubRoutes = (folder: string): Route[] => registered(folder).map(routeOf);

/** The routes as Elysia keeps them. */
export function registered(folder: string): Registered[] {
  const now = () => new Date();
  const { db, close } = openDatabase(folder);
  const app = createHub({
    pace: PACE,
    db,
    accounts: createAccounts({
      db,
      now,
      elapsed: () => 0,
      signUp: 'closed',
      setupCode: createSetupCode(join(folder, 'setup-code'), () => {}),
    }),
    directory: createDirectory({ db }),
    tokens: createTokens({ db, now }),
    commandLine: createCommandLine('x'.repeat(43)),
    dashboard: {} as never,
    publisher: {} as never,
    importer: {} as never,
    preambleUpdatedAt: now,
    assertInPlace: () => {},
    fleet: {} as never,
    deliver: {} as never,
    trustProxy: false,
    loopback: true,
    hosts: [],
    warnings: [],
    version: '0',
    commit: null,
    now,
    elapsed: () => 0,
    look: {} as never,
    metrics,
    log: () => {},
  });
  close();
  return app.routes as unknown as Registered[];
}

export function agentRoutes(): Route[] {
  const app = createAgent({
    isKnown: () => false,
    proxy: {} as never,
    state: {} as never,
    authorities: {} as never,
    checks: {} as never,
    disks: async () => [],
    trials: {} as never,
    logs: {} as never,
    metrics,
    log: () => {},
  });
  // The catch-all is not a route.
  return (app.routes as unknown as Registered[]).map(routeOf).filter(({ path }) => path !== '/*');
}
