/** Every route the two apps register, as they tell it themselves. */
import { join } from 'node:path';
import { createAgent } from '../../agent/app.ts';
import { createHub } from '../../src/app.ts';
import { createDirectory } from '../../src/auth/directory.ts';
import { createAccounts } from '../../src/auth/service.ts';
import { createSetupCode } from '../../src/auth/setup-code.ts';
import { createTokens } from '../../src/auth/tokens.ts';
import { openDatabase } from '../../src/db/open.ts';

export type Route = { method: string; path: string; statuses: number[] };
type Registered = { method: string; path: string; hooks: { response?: object } };

const metrics = { text: async () => '', contentType: '', request: () => {} } as never;

const told = ({ method, path, hooks }: Registered): Route => {
  const byStatus = Object.keys(hooks.response ?? {}).filter((key) => /^\d{3}$/.test(key));
  return { method, path, statuses: byStatus.length > 0 ? byStatus.map(Number) : [200] };
};

/** @param folder for a database that nothing is written to */
export function hubRoutes(folder: string): Route[] {
  const now = () => new Date();
  const { db, close } = openDatabase(folder);
  const app = createHub({
    db,
    accounts: createAccounts({
      db,
      now,
      signUp: 'closed',
      setupCode: createSetupCode(join(folder, 'setup-code')),
    }),
    directory: createDirectory({ db }),
    tokens: createTokens({ db, now }),
    publisher: {} as never,
    importer: {} as never,
    preambleUpdatedAt: now,
    agent: {} as never,
    trustProxy: false,
    loopback: true,
    hosts: [],
    warnings: [],
    version: '0',
    now,
    metrics,
    log: () => {},
  });
  close();
  return (app.routes as unknown as Registered[]).map(told);
}

export function agentRoutes(): Route[] {
  const app = createAgent({
    tokens: [],
    proxy: {} as never,
    state: {} as never,
    logs: {} as never,
    metrics,
    log: () => {},
  });
  return (app.routes as unknown as Registered[]).map(told);
}
