/** A real agent with a log that was written for it, and its replays. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ReplayRequest, ReplayState } from '../../../../src/features/replay/wire.ts';
import { startLoneAgent } from '../../../harness/lone-agent.ts';
import { freePort, until } from '../../../harness/stack.ts';
import type { Ports } from './configs.ts';

export type ReplayingAgent = Awaited<ReturnType<typeof startReplayingAgent>>;

/** @param isApart whether it runs as a process, which can be killed */
export async function startReplayingAgent(isApart = false) {
  const agent = await startLoneAgent({ UPSTREAM_PROBE: 'false' }, isApart);
  const ports: Ports = {
    http: agent.httpPort,
    https: agent.httpsPort,
    plain: freePort(),
    secure: freePort(),
  };
  const logFile = agent.env.ACCESS_LOG;

  async function start(proxyfile: string, more: Partial<ReplayRequest> = {}): Promise<string> {
    const request = { proxyfile, hosts: null, days: 7, requests: 20_000, ...more };
    const { status, body, text } = await agent.get<{ id: string }>('/proxy/replay', request);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return body.id;
  }
  const stateOf = async (id: string): Promise<ReplayState> => {
    const { status, body, text } = await agent.get<ReplayState>(`/proxy/replay?id=${id}`);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return body;
  };

  return {
    ...agent,
    ports,
    logFile,
    start,
    stateOf,
    /** Makes it live. @throws Error with Caddy's words */
    async publish(text: string): Promise<void> {
      const { status, text: said } = await agent.reload(text);
      if (status !== 200) throw new Error(said);
    },
    /** @param rolled what is older, in a file that was rotated */
    log(text: string, rolled = ''): void {
      if (rolled !== '') {
        writeFileSync(join(dirname(logFile), 'access-2026-01-01T00-00-00.000.log'), rolled);
      }
      appendFileSync(logFile, text);
    },
    async replay(proxyfile: string, more: Partial<ReplayRequest> = {}): Promise<ReplayState> {
      const id = await start(proxyfile, more);
      return until(
        async () => {
          const state = await stateOf(id);
          return state.state !== 'running' && state;
        },
        'the replay to end',
        70_000,
      );
    },
  };
}
