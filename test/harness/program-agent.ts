/**
 * A hub whose agent exchanges programs. What the agent says of them is made up by a stand-in before a real agent,
 * which gets all other requests: only so can an exchange be lost, refused for each reason, or unknown.
 */
import { join } from 'node:path';
import type { Program, ProgramsAnswer } from '../../src/features/programs/wire.ts';
import { readSettings } from '../../src/program/config.ts';
import { createLog } from '../../src/program/log.ts';
import { serveHub } from '../../src/program/serve/serve.ts';
import type { ProxyStatus } from '../../src/shared/wire/proxy.ts';
import { startLoneAgent } from './lone-agent.ts';
import { QUICK } from './pace.ts';
import { type Answer, ask, machine, signUp, temporaryFolder } from './stack.ts';

export const programOf = (version: string, digit: string, modules: string[] = []): Program => ({
  sha256: digit.repeat(64),
  version,
  modules: ['http.handlers.reverse_proxy', ...modules],
  since: '2026-11-20T19:00:00.000Z',
});
export const OLD = programOf('2.6.2', 'a');

/**
 * How the stand-in answers an exchange; `begins`: it works, and a probation begins; `lost`: it happens, but the answer
 * does not arrive.
 */
type Mode = 'works' | 'begins' | 'lost' | 'dies' | 'unknown' | (() => Response);

export type ProgramAgent = Awaited<ReturnType<typeof startProgramAgent>>;

export async function startProgramAgent() {
  const agent = await startLoneAgent();
  const state: Omit<ProgramsAnswer, 'current'> & { current: Program } = {
    current: OLD,
    previous: [],
    probation: null,
    managed: true,
    unit: null,
  };
  const kept = new Map<string, Program>([[OLD.sha256, OLD]]);
  const seen: { path: string; body: string }[] = [];
  const warnings: string[] = [];
  let mode: Mode = 'works';

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request): Promise<Response> {
      const { pathname, search } = new URL(request.url);
      const isProgram = /^\/proxy\/programs?(\/|$)/.test(pathname);
      const bytes = await request.bytes();
      const body = isProgram && bytes.length > 0 ? new TextDecoder().decode(bytes) : '';
      const pass = (path = `${pathname}${search}`, other?: string): Promise<Response> =>
        fetch(`${agent.url()}${path}`, {
          method: request.method,
          headers: request.headers,
          ...(request.method !== 'GET' && { body: other ?? bytes }),
        });
      if (pathname === '/proxy/status') {
        const status = (await (await pass()).json()) as ProxyStatus;
        const { version } = state.current;
        const all = [...status.warnings, ...warnings];
        return Response.json({ ...status, proxy: { ...status.proxy, version }, warnings: all });
      }
      if (!isProgram) return pass();
      seen.push({ path: `${request.method} ${pathname}${search}`, body });
      if (mode === 'unknown') {
        return Response.json({ code: 'NOT_FOUND', message: 'No such route.' }, { status: 404 });
      }
      if (request.method === 'GET') return Response.json(state);
      if (pathname !== '/proxy/program') {
        const sum = new URLSearchParams(search).get('sha256') ?? JSON.parse(body).sha256;
        const program = { ...programOf(body.slice(0, 10).trim(), 'b'), sha256: sum, since: null };
        if (!/^2\./.test(body)) return refusal(400, 'INVALID_REQUEST', 'This is no program.');
        kept.set(sum, program);
        return Response.json(program);
      }
      if (typeof mode === 'function') return mode();
      if (mode === 'dies') return new Response('', { status: 500 });
      const { sha256, proxyfile, checks: _, certificates: __, ...rest } = JSON.parse(body);
      const next = kept.get(sha256);
      if (!next) return refusal(404, 'NOT_FOUND', 'No such program.');
      const reload = { proxyfile, ...rest, deadline: 30_000 };
      const done = await pass('/proxy/reload', JSON.stringify(reload));
      if (!done.ok) return done;
      const { digest } = (await done.json()) as { digest: string };
      const from = state.current.version;
      state.previous = [state.current, ...state.previous].slice(0, 2);
      state.current = { ...next, since: '2026-11-24T01:00:00.000Z' };
      if (mode === 'begins')
        state.probation = { until: new Date(Date.now() + 60_000).toISOString() };
      if (mode === 'lost') return new Response('not what was agreed');
      return Response.json({
        success: true,
        digest,
        from,
        to: next.version,
        differences: [{ domain: 'a.example', reason: 'the header Via is another' }],
        leftOut: [{ reason: 'websockets', count: 2 }],
      });
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
  const serve = () => serveHub(settings.hub, 'lone-agent'.repeat(4), log, QUICK.hub);
  let running = await serve();
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
    seen,
    warnings,
    owner,
    call,
    folder,
    hub: url,
    env: { DATA_DIR: join(folder, 'data') },
    answers(next: Mode) {
      mode = next;
    },
    /** Uploads a file that the stand-in takes for a program of the version that it begins with. */
    upload: (
      text: string,
      fields: Record<string, string> = {},
      headers: Record<string, string> = owner.headers,
    ) => {
      const form = new FormData();
      form.set('file', new Blob([text]), 'caddy');
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      return ask<{ code?: string; message?: string; detail?: string }>(`${url()}/proxy/program`, {
        method: 'POST',
        raw: form,
        headers,
      });
    },
    async restart() {
      await running.stop();
      running = await serve();
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
