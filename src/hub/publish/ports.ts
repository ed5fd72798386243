/** Reads where the proxy listens, and moves it to ports 80 and 443. */
import { withValues } from '../../shared/caddyfile/globals.ts';
import { Failure } from '../../shared/failure.ts';
import type { ProxyStatus } from '../../shared/wire.ts';
import { type PortState, STANDARD_PORTS } from '../../shared/wire-ports.ts';
import type { AgentClient } from '../agent-client/client.ts';
import { type Author, preambleChange } from './changes.ts';
import type { Publisher } from './publisher.ts';
import type { Demands } from './queue.ts';
import { cureOf, needsPorts, obstacleOf, type Serving, servingOf } from './serving.ts';

export type PortsDeps = { agent: Pick<AgentClient, 'ports' | 'status'>; publisher: Publisher };

/** An agent of an earlier version does not say. */
const portsOf = async ({ agent }: PortsDeps): Promise<readonly PortState[]> =>
  (await agent.ports().catch(() => ({ ports: [] }))).ports;

/**
 * Never fails.
 * @param status as the agent reported it, null if it did not
 * @returns null if the proxy cannot be asked, or serves what others published
 */
export async function readServing(
  deps: PortsDeps,
  status: ProxyStatus | null,
): Promise<Serving | null> {
  if (!status?.proxy.running || status.foreign) return null;
  const known = { preamble: deps.publisher.current().preamble, closed: status.closed };
  return servingOf({ ...known, ports: needsPorts(known) ? await portsOf(deps) : [] });
}

/** Where the proxy listens now; null as `readServing`. */
export type ReadPorts = () => Promise<Serving | null>;

export const createReadPorts =
  (deps: PortsDeps): ReadPorts =>
  async () =>
    readServing(deps, await deps.agent.status().catch(() => null));

/**
 * Publishes the preamble with `http_port` and `https_port`, where it has them, set to the standard.
 * @param replace as for any publish
 * @throws Failure PORT_UNAVAILABLE if a port is held or forbidden, and as any publish
 */
export async function moveToStandard(
  deps: PortsDeps,
  author: Author,
  demands: Demands = {},
): Promise<void> {
  const { publisher } = deps;
  const values = {
    http_port: String(STANDARD_PORTS.http),
    https_port: String(STANDARD_PORTS.https),
  };
  const { preamble } = publisher.current();
  if (withValues(preamble, values) === preamble) return;
  const states = await portsOf(deps);
  const obstacles = states.flatMap((state) => obstacleOf(state) ?? []);
  if (obstacles.length > 0) {
    const message = `Caddy cannot move to ports 80 and 443: ${obstacles.join('; ')}.`;
    throw new Failure('PORT_UNAVAILABLE', message, { detail: `What helps: ${cureOf(states)}` });
  }
  await publisher.apply(
    (set, time) => preambleChange(withValues(set.preamble, values))(set, time),
    author,
    demands,
  );
}
