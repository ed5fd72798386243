/** A hub with a first agent of its own, and others that are enrolled: each with a real Caddy. */

import type { Paces } from '../../src/program/serve/running.ts';
import { formatInvitation } from '../../src/shared/invitation.ts';
import { type EnrollableAgent, startEnrollable } from './enrolled.ts';
import { type Answer, ask, freePort, type Stack, signUp, startStack, until } from './stack.ts';

/** An agent as the hub shows it. */
export type AgentSeen = { name: string; state: string; since: string; detail?: string };

export type Fleet = {
  stack: Stack;
  /** An agent besides the first, by the name it is enrolled under. */
  other(name: string): EnrollableAgent;
  headers: Record<string, string>;
  call<T = unknown>(method: string, path: string, json?: unknown): Promise<Answer<T>>;
  agents(): Promise<AgentSeen[]>;
  /** Waits until an agent is in a state. */
  untilState(name: string, state: string): Promise<AgentSeen>;
  /** What a proxy answers for a host; the first one is `local`. */
  served(name: string, host: string): Promise<string>;
  stop(): Promise<void>;
};

/**
 * @param names of the agents besides the first
 * @param env settings of the hub and all agents
 * @param own settings of the agents besides the first
 */
export async function startFleet(
  names: readonly string[],
  env: Record<string, string> = {},
  paces?: Paces,
  own: Record<string, string> = {},
): Promise<Fleet> {
  const stack = await startStack(env, undefined, paces);
  const { headers } = await signUp(stack);
  const call = <T>(method: string, path: string, json?: unknown) =>
    ask<T>(`${stack.hub}${path}`, { method, headers, ...(json === undefined ? {} : { json }) });
  const others = new Map<string, EnrollableAgent>();
  for (const name of names) {
    const agent = await startEnrollable({ AGENT_PORT: String(freePort()), ...env, ...own });
    others.set(name, agent);
    const invitation = formatInvitation(agent.invitation);
    const added = await call('POST', '/agents', { name, invitation });
    if (added.status !== 201) throw new Error(added.text);
    await setPorts(name, agent);
  }

  /** Each has its own ports on this machine. */
  async function setPorts(name: string, agent: EnrollableAgent): Promise<void> {
    const { httpPort, httpsPort } = agent;
    const config = `{\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n\tskip_install_trust\n}`;
    const set = await call('PUT', `/preamble?agent=${name}`, { config });
    if (set.status !== 200) throw new Error(set.text);
  }

  const agents = async () => (await call<AgentSeen[]>('GET', '/agents')).body;
  return {
    stack,
    other(name) {
      const agent = others.get(name);
      if (agent) return agent;
      throw new Error(`there is no agent ${name}`);
    },
    headers,
    call,
    agents,
    untilState: (name, state) =>
      until(
        async () => (await agents()).find((agent) => agent.name === name && agent.state === state),
        `${name} ${state}`,
      ),
    async served(name, host) {
      const port = others.get(name)?.httpPort ?? stack.httpPort;
      return (await ask(`http://127.0.0.1:${port}/`, { headers: { Host: host } })).text;
    },
    async stop() {
      await stack.stop();
      for (const agent of others.values()) await agent.stop();
    },
  };
}
