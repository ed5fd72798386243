/** What the hub asks its agents for at each scrape; of one of several, it has the label `agent`. */
import type { Agent } from '../../hub/agents/agents.ts';
import type { AgentClient } from '../../hub/agents/client.ts';
import { labelOf } from '../../hub/model/agent.ts';
import type { Publisher } from '../../hub/publish/publisher.ts';
import { readCertificates } from '../../hub/watch/sites/certificates.ts';
import { findUnserved } from '../../hub/watch/sites/unserved.ts';
import { within } from '../../shared/async.ts';
import type { Family } from '../../shared/observe/metrics.ts';
import { gauge } from './gauge.ts';

/** Two lookups at the agent must fit into Prometheus' scrape timeout of ten seconds. */
const AGENT_DEADLINE_MS = 2_000;

/** Less than all of them may take together: one that is late leaves out only its own. */
const EACH_MS = 3_500;

/** For an agent that is known not to respond, and need not be waited for. */
const SILENT = {
  status: () => Promise.reject(new Error('silent')),
  answers: () => Promise.resolve(false),
};

/** As `collectStanding`, of all agents. */
export const collectStandings = (
  publisher: Pick<Publisher, 'agents' | 'isInStep' | 'standings'>,
): Promise<readonly Family[]> =>
  ofEach(publisher, ({ id, client }, isSkipped) =>
    collectStanding(isSkipped ? SILENT : client, {
      isInStep: (status) => publisher.isInStep(status, id) && !isRefused(publisher, id),
    }),
  );

/** Whether its proxy refuses sites, or cannot open one of its ports. */
const isRefused = ({ standings }: Pick<Publisher, 'standings'>, id: number): boolean =>
  standings().some(({ agent, state }) => agent.id === id && state === 'refused');

/** How many enabled vhosts are not served, or not on all of their ports, as `/status` lists them. */
export const collectBroken = (publisher: Publisher): Promise<readonly Family[]> =>
  ofEach(publisher, async (agent, isSkipped) => {
    const known = publisher.standings().find((one) => one.agent.id === agent.id);
    const status = isSkipped ? null : (known?.status ?? null);
    const { length } = await findUnserved(agent, publisher, status);
    return [
      gauge(
        'vhosts_broken',
        'Stored vhosts that the proxy refuses, or whose port it cannot open.',
        length,
      ),
    ];
  });

/** When each certificate that a proxy presents expires; without those that cannot be read in time. */
export const collectCertificates = (
  publisher: Pick<Publisher, 'agents' | 'current'>,
): Promise<readonly Family[]> =>
  ofEach(publisher, async (agent, isSkipped) => {
    const certificates = isSkipped ? [] : await readCertificates(agent, publisher).catch(() => []);
    // Several vhosts can have the same name on different ports.
    const byName = new Map(certificates.map(({ name, notAfter }) => [name, notAfter]));
    return [
      {
        name: 'signalbox_certificate_expiry_timestamp_seconds',
        help: 'When the certificate that the proxy presents for a name expires.',
        type: 'gauge',
        labelNames: ['name'],
        samples: [...byName].map(([name, notAfter]) => ({
          labels: { name },
          value: notAfter.getTime() / 1000,
        })),
      },
    ];
  });

/**
 * Collects the same families of each agent, and names it in their samples unless it is the only one.
 * @param collect gets whether the agent is silent, so that nobody waits for it
 */
async function ofEach(
  { agents }: Pick<Publisher, 'agents'>,
  collect: (agent: Agent, isSkipped: boolean) => Promise<readonly Family[]>,
): Promise<readonly Family[]> {
  const all = agents.all();
  const found = await Promise.all(
    all.map(async (agent) => {
      const label = labelOf(agent.id, all);
      if (label === undefined) return collect(agent, false);
      const families = collect(agent, agent.client.isSilent());
      const inTime = await within(families, EACH_MS, () => []);
      return inTime.map((family) => labelled(family, label));
    }),
  );
  return [...Map.groupBy(found.flat(), ({ name }) => name).values()].flatMap(
    ([first, ...others]) =>
      first ? { ...first, samples: [first, ...others].flatMap(({ samples }) => samples) } : [],
  );
}

const labelled = ({ labelNames = [], samples, ...family }: Family, agent: string): Family => ({
  ...family,
  labelNames: ['agent', ...labelNames],
  samples: samples.map(({ labels, value }) => ({ labels: { agent, ...labels }, value })),
});

/** The state of agent and proxy; one that does not respond in time counts as down. Never fails. */
export async function collectStanding(
  agent: Pick<AgentClient, 'status' | 'answers'>,
  publisher: Pick<Publisher, 'isInStep'>,
): Promise<readonly Family[]> {
  const [status, answers] = await Promise.all([
    agent.status(AGENT_DEADLINE_MS).catch(() => null),
    agent.answers(AGENT_DEADLINE_MS),
  ]);
  return [
    gauge('agent_up', 'Whether the agent responds.', answers || status !== null),
    gauge('proxy_up', 'Whether the proxy responds to the agent.', status?.proxy.running ?? false),
    gauge(
      'in_step',
      'Whether the proxy and the file on disk match the stored state.',
      status !== null && publisher.isInStep(status),
    ),
    gauge('drift', 'Whether another program changed the file on disk.', status?.drift),
    gauge(
      'restart_needed',
      'Whether a failed start may have left listeners open.',
      status?.restartNeeded,
    ),
  ];
}
