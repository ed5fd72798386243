/** Agents with a real log engine and nothing else, each on a port of its own. */
import { Elysia } from 'elysia';
import { createLogs, type Logs } from '../../agent/logs/logs.ts';
import { logRoutes } from '../../agent/logs/routes.ts';
import type { Agent, Agents } from '../../src/hub/agents/agents.ts';
import { createAgentClient } from '../../src/hub/agents/client.ts';
import type { Guard } from '../../src/hub/auth/guard.ts';
import { logRoutes as logRoutesOfHub } from '../../src/hub/logs/routes.ts';
import { Failure } from '../../src/shared/failure.ts';
import { errors } from '../../src/shared/http.ts';
import { jsonBody, lateBodies } from '../../src/shared/json-body.ts';
import { limit } from './speed.ts';
import { freePort } from './stack.ts';

export type LogAgent = Agent & {
  file: string;
  readonly logs: Logs;
  /** Stops it, and its connections break off. */
  stop(): Promise<void>;
  /** Starts it again, on the same port and without what it had in memory. */
  start(): void;
};

/** The hub's routes, for anyone: the guard is a stand-in. */
export function serveRoutes(agents: Agents): { url: string; stop(): Promise<void> } {
  const guard = new Elysia({ name: 'guard' }).derive({ as: 'scoped' }, () => ({
    who: { user: { id: '1' } },
    isAllowed: () => true,
  }));
  const app = new Elysia()
    .use(errors({ report: (error) => console.error(error) }))
    .use(logRoutesOfHub({ agents, guard: guard as unknown as Guard }))
    .listen({ hostname: '127.0.0.1', port: freePort(), reusePort: false });
  return { url: `http://127.0.0.1:${app.server?.port}`, stop: async () => app.server?.stop(true) };
}

/** The list as the hub has it. @param all at least one */
export function agentsOf(...all: Agent[]): Agents {
  return {
    first: () => all[0] as Agent,
    all: () => all,
    named(name) {
      const found = all.find((agent) => agent.name === name);
      if (found) return found;
      throw new Failure('NOT_FOUND', 'There is no such agent.');
    },
  };
}

type LogLimits = Pick<Parameters<typeof createLogs>[0], 'readLimit'>;

/** Serves the routes of a log as an agent does. @param file the path of its live file */
export function listenWithLogs(file: string, port: number, limits: LogLimits = {}) {
  // Answers that are cut short on a busy machine would not be comparable.
  const logs = createLogs({ file, timeout: limit(20_000), ...limits });
  const app = new Elysia()
    .use(errors({ report: (error) => console.error(error), words: true }))
    .use(lateBodies())
    .get('/health', () => ({ status: 'ok' }))
    .use(jsonBody(1 << 20))
    .use(logRoutes(logs, async (page) => page, []))
    .listen({ hostname: '127.0.0.1', port, reusePort: false });
  return { logs, app };
}

/** The hub's side of an agent. */
export const clientOf = (port: number) =>
  createAgentClient({ url: `http://127.0.0.1:${port}`, token: 't'.repeat(32) });

/** @param file the path of the live file of its log */
export function serveLogs(id: number, name: string, file: string, limits?: LogLimits): LogAgent {
  const port = freePort();
  let running = listenWithLogs(file, port, limits);
  return {
    id,
    name,
    client: clientOf(port),
    file,
    get logs() {
      return running.logs;
    },
    async stop() {
      running.logs.close();
      await running.app.server?.stop(true);
    },
    start() {
      running = listenWithLogs(file, port, limits);
    },
  };
}
