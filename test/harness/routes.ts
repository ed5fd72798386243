/** Every route that the two apps register. */
import { join } from 'node:path';
import { createAgent } from '../../agent/app.ts';
import { createContext } from '../../src/hub/api/context.ts';
import { createHub } from '../../src/hub/app.ts';
import { createSetupCode } from '../../src/hub/auth/accounts/setup-code.ts';
import { createCommandLine } from '../../src/hub/auth/command-line.ts';
import { openDatabase } from '../../src/hub/db/open.ts';
import type { RegisteredRoute } from '../../src/hub/http/about.ts';
import { PACE } from '../../src/hub/pace.ts';
import { readSettings } from '../../src/program/config.ts';
import { allLoaded } from '../../src/program/serve/running.ts';
import { machine } from './stack.ts';

export type Route = {
  method: string;
  path: string;
  /** Left out of the OpenAPI document on purpose. */
  hidden: boolean;
};
type Registered = RegisteredRoute & { hooks: { detail?: { hide?: boolean } } };

const TOKEN = 'x'.repeat(43);

const { hub: ofHub, agent: ofAgent } = readSettings('all', { AGENT_TOKEN: TOKEN }, machine);
const halves = await allLoaded(ofHub.plans);
const agentHalves = await allLoaded(ofAgent.plans);

const routeOf = ({ method, path, hooks }: Registered): Route => ({
  method,
  path,
  hidden: hooks.detail?.hide === true,
});

/** @param folder for an empty database */
export const hubRoutes = (folder: string): Route[] => registered(folder).map(routeOf);

/** The routes as Elysia keeps them. */
export function registered(folder: string): Registered[] {
  const database = openDatabase(folder);
  const { hub: settings } = readSettings(
    'hub',
    { DATA_DIR: folder, AGENT_TOKEN: TOKEN, AGENT_URL: 'http://127.0.0.1:1' },
    machine,
  );
  const context = createContext({
    settings,
    database,
    token: TOKEN,
    version: '0',
    commit: null,
    pace: PACE,
    secretKey: join(folder, 'secret-key'),
    restart: () => {},
    setupCode: createSetupCode(join(folder, 'setup-code'), () => {}),
    commandLine: createCommandLine(TOKEN),
    now: () => new Date(),
    elapsed: () => 0,
    log: () => {},
    preamble: undefined,
    halves,
  });
  const app = createHub(context, {} as never);
  database.close();
  return app.routes as unknown as Registered[];
}

export function agentRoutes(): Route[] {
  const app = createAgent({
    isKnown: () => false,
    proxy: {} as never,
    state: {} as never,
    authorities: {} as never,
    checks: {} as never,
    rounds: {} as never,
    disks: async () => [],
    tryOut: {} as never,
    logs: {} as never,
    beforeReload: new Set(),
    parts: agentHalves.map((half) =>
      half({
        version: '0',
        proxy: { replaceable: null } as never,
        user: null,
        trials: {} as never,
        accessLog: '',
        logs: {} as never,
        prober: null,
        live: async () => [],
        look: () => {},
        userAgent: () => '',
        beforeReload: new Set(),
        bodyLimit: 0,
        paced: (_name, pace) => pace,
        warn: () => {},
        now: () => new Date(),
        log: () => {},
      }),
    ),
    log: () => {},
  });
  // The catch-all is not a route.
  return (app.routes as unknown as Registered[]).map(routeOf).filter(({ path }) => path !== '/*');
}
