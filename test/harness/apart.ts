/** A hub besides the one of a stack, with the same agent, and what can stand between the two. */
import { join } from 'node:path';
import type { Settings } from '../../src/program/config.ts';
import { serveHub } from '../../src/program/serve/serve.ts';
import { QUICK } from './pace.ts';
import { ask, type Stack, signUp } from './stack.ts';

export type HubApart = Awaited<ReturnType<typeof startHubApart>>;

/** What a hub asks of the agent. */
export type Question = {
  request: Request;
  path: string;
  /** Null: it has none. */
  body: string | null;
  /** Asks the agent. */
  pass(): Promise<Response>;
};
export type Between = (question: Question) => Response | Promise<Response>;

/**
 * @param agent where it finds the agent, or what stands between the two: it makes the answers to the hub
 * @param more settings besides
 */
export async function startHubApart(
  stack: Stack,
  agent: string | Between,
  more: Partial<Settings['hub']> = {},
) {
  const { settings, folder, token } = stack;
  const between = typeof agent === 'string' ? null : startBetween(stack, agent);
  const agentUrl = between?.url.origin ?? String(agent);
  const own = { port: 0, dataDir: join(folder, 'apart'), agentUrl, ...more };
  const serve = () => serveHub({ ...settings.hub, ...own }, token, () => {}, QUICK.hub);
  let hub = await serve();
  const { headers } = await signUp({ hub: `${hub.url}/api` });
  return {
    /** Without `/api`. */
    get url() {
      return hub.url;
    },
    /** Of the owner, whose requests `call` makes. */
    headers,
    call: <T>(method: string, path: string, json?: unknown) =>
      ask<T>(`${hub.url}/api${path}`, { method, headers, json }),
    /** Starts the hub again. @param meanwhile waits for something once it was stopped */
    async restart(meanwhile = async () => {}) {
      await hub.stop();
      await meanwhile();
      hub = await serve();
    },
    async stop() {
      await between?.stop(true);
      await hub.stop();
    },
  };
}

/** Stands between a hub and the agent of a stack. */
export const startBetween = (stack: Stack, answer: Between): Bun.Server<unknown> =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    // The agent may stop before the hub that still asks it.
    error: () => new Response(null, { status: 502 }),
    async fetch(request) {
      const { method, headers, url } = request;
      const { pathname: path, search } = new URL(url);
      const body = method === 'POST' ? await request.text() : null;
      const pass = () =>
        fetch(`${stack.agent}${path}${search}`, { method, headers, body, keepalive: false });
      return answer({ request, path, body, pass });
    },
  });
