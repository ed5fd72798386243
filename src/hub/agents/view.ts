/** What the hub knows of an agent, as the API shows it. */
import type { AgentView } from '../http/agent-view.ts';
import { FIRST_AGENT } from '../model/agent.ts';
import type { AgentStanding } from '../publish/targets.ts';

/** Where the settings say that the first agent is. */
export type FirstAgent = Readonly<{ url: string; fingerprint: string | null }>;

/** @param sites how many enabled vhosts are placed on it */
export function viewAgent(standing: AgentStanding, first: FirstAgent, sites: number): AgentView {
  const { agent, state, since, detail, status, latencyMs, skewMs } = standing;
  const isFirst = agent.id === FIRST_AGENT;
  return {
    name: agent.name,
    url: agent.url ?? first.url,
    fingerprint: isFirst ? first.fingerprint : agent.fingerprint,
    paused: agent.paused,
    state,
    since: since.toISOString(),
    ...(detail === null ? {} : { detail }),
    proxy: status?.proxy ?? { running: false, version: null },
    foreign: status?.foreign ?? false,
    latencyMs,
    skewMs,
    sites,
  };
}
