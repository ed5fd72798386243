/** Agents with a real log engine and nothing else, each on a port of its own. */
import { Elysia } from 'elysia';
import { createLogs, type Logs } from '../../../agent/logs/logs.ts';
import { logRoutes } from '../../../agent/logs/routes.ts';
import type { Agent } from '../../../src/hub/agent-client/agents.ts';
import { createAgentClient } from '../../../src/hub/agent-client/client.ts';
import { errors, jsonBody, lateBodies } from '../../../src/shared/http.ts';
import { freePort } from '../../harness/stack.ts';

export type LogAgent = Agent & {
  file: string;
  readonly logs: Logs;
  /** Stops it, and its connections break off. */
  stop(): Promise<void>;
  /** Starts it again, on the same port and with a new process's memory. */
  start(): void;
};

/** @param file the path of the live file of its log */
export function serveLogs(id: number, name: string, file: string): LogAgent {
  const port = freePort();
  const client = createAgentClient({
    url: `http://127.0.0.1:${port}`,
    token: 't'.repeat(32),
  });
  let running = start();

  function start() {
    // Answers that are cut short on a busy machine would not be comparable.
    const logs = createLogs({ file, timeout: 20_000 });
    const app = new Elysia()
      .use(errors({ report: (error) => console.error(error), words: true }))
      .use(lateBodies())
      .get('/health', () => ({ status: 'ok' }))
      .use(jsonBody(1 << 20))
      .use(logRoutes({ logs, explain: async (page) => page }))
      .listen({ hostname: '127.0.0.1', port, reusePort: false });
    return { logs, app };
  }

  return {
    id,
    name,
    client,
    file,
    get logs() {
      return running.logs;
    },
    async stop() {
      running.logs.close();
      await running.app.server?.stop(true);
    },
    start() {
      running = start();
    },
  };
}
