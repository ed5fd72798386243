/**
 * A hub whose agent changes its program. What the agent says of that is made up by a stand-in before a real agent,
 * which gets all other requests: only so can an answer be lost, or be a refusal for each reason.
 */
import { join } from 'node:path';
import type { Static } from 'elysia';
import type { NextProgram, Program, ProgramsAnswer } from '../../src/features/programs/wire.ts';
import { readSettings } from '../../src/program/config.ts';
import { serveHub } from '../../src/program/serve/serve.ts';
import { createLog } from '../../src/shared/log.ts';
import type { ProxyStatus } from '../../src/shared/wire/proxy.ts';
import { startLoneAgent } from './lone-agent.ts';
import { QUICK } from './pace.ts';
import { type Answer, ask, machine, signUp, temporaryFolder } from './stack.ts';

export const programOf = (version: string, digit: string): Program => ({
  sha256: digit.repeat(64),
  version,
  modules: ['http.handlers.reverse_proxy'],
  since: '2026-11-20T19:00:00.000Z',
});
export const OLD = programOf('2.6.2', 'a');

/** Another program at PROXY_BIN. */
export const NEXT: Static<typeof NextProgram> = {
  version: '2.11.7',
  sha256: 'b'.repeat(64),
  modules: OLD.modules,
  differs: ['a.example: GET / gets 404 instead of 403'],
};

/** How the stand-in answers a restart; `lost`: it happens, but the answer does not arrive. */
type Mode = 'works' | 'lost' | 'dies' | (() => Response);

export type ProgramAgent = Awaited<ReturnType<typeof startProgramAgent>>;

export async function startProgramAgent() {
  const agent = await startLoneAgent();
  const state: ProgramsAnswer = { current: OLD, next: NEXT, managed: true, unit: null };
  const warnings: string[] = [];
  let restarts = 0;
  let mode: Mode = 'works';

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request): Promise<Response> {
      const { pathname, search } = new URL(request.url);
      const bytes = await request.bytes();
      const pass = () =>
        fetch(`${agent.url()}${pathname}${search}`, {
          method: request.method,
          headers: request.headers,
          ...(request.method !== 'GET' && { body: bytes }),
        });
      if (pathname === '/proxy/status') {
        const status = (await (await pass()).json()) as ProxyStatus;
        const version = state.current?.version ?? null;
        const all = [...status.warnings, ...warnings];
        return Response.json({ ...status, proxy: { ...status.proxy, version }, warnings: all });
      }
      if (pathname === '/proxy/programs') return Response.json(state);
      if (pathname !== '/proxy/restart') return pass();
      restarts++;
      if (typeof mode === 'function') return mode();
      if (mode === 'dies') return new Response('', { status: 500 });
      if (state.next) {
        const { differs: _, ...program } = state.next;
        state.current = { ...program, since: '2026-11-24T01:00:00.000Z' };
        state.next = null;
      }
      return mode === 'lost' ? new Response('not what was agreed') : Response.json(state);
    },
  });

  const folder = temporaryFolder();
  const settings = readSettings(
    'hub',
    {
      PATH: process.env.PATH,
      DATA_DIR: join(folder, 'data'),
      HUB_PORT: '0',
      AGENT_URL: server.url.origin,
      AGENT_TOKEN: 'lone-agent'.repeat(4),
    },
    machine,
  );
  const log = createLog(
    () => {},
    () => new Date(),
    settings.log,
  );
  const running = await serveHub(settings.hub, 'lone-agent'.repeat(4), log, QUICK.hub);
  const url = () => `${running.url}/api`;
  const owner = await signUp({ hub: url() });
  const options = [`http_port ${agent.httpPort}`, `https_port ${agent.httpsPort}`];
  const preamble = `{\n\t${[...options, 'skip_install_trust'].join('\n\t')}\n}`;
  const call = <T = { code?: string }>(
    method: string,
    path: string,
    json?: unknown,
    headers: Record<string, string> = owner.headers,
  ): Promise<Answer<T>> =>
    ask<T>(`${url()}${path}`, { method, headers, ...(json !== undefined && { json }) });
  await call('PUT', '/preamble', { config: preamble });

  return {
    agent,
    state,
    warnings,
    owner,
    call,
    env: { DATA_DIR: join(folder, 'data') },
    hub: url,
    restarts: () => restarts,
    answers(next: Mode) {
      mode = next;
    },
    /** As it is before each test. */
    reset() {
      Object.assign(state, { current: OLD, next: NEXT, managed: true, unit: null });
      [restarts, mode] = [0, 'works'];
    },
    async stop() {
      await running.stop();
      await server.stop(true);
      await agent.stop();
    },
  };
}

export const refusal = (status: number, code: string, message: string, more: object = {}) =>
  Response.json({ code, message, ...more }, { status });
