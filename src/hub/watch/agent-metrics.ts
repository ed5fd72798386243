/** The metrics that the hub has of its agents; of several, they have the label `agent`. */
import { within } from '../../shared/async.ts';
import type { Family } from '../../shared/observe/metrics.ts';
import type { Agent } from '../agents/agents.ts';
import type { Publisher } from '../publish/publisher.ts';
import { collectStanding } from './metrics.ts';
import { readCertificates } from './sites/certificates.ts';

/** Less than all of them may take together: one that is late leaves out only its own. */
const EACH_MS = 3_500;

/** For an agent that is known not to respond, and need not be waited for. */
const SILENT = {
  status: () => Promise.reject(new Error('silent')),
  answers: () => Promise.resolve(false),
};

/** As `collectStanding`, of all agents. */
export const collectStandings = (
  publisher: Pick<Publisher, 'agents' | 'isInStep'>,
): Promise<readonly Family[]> =>
  ofEach(publisher, ({ id, client }, isSkipped) =>
    collectStanding(isSkipped ? SILENT : client, {
      isInStep: (status) => publisher.isInStep(status, id),
    }),
  );

/** When each certificate that a proxy presents expires; without those that cannot be read in time. */
export const collectCertificates = (
  publisher: Pick<Publisher, 'agents' | 'current'>,
): Promise<readonly Family[]> =>
  ofEach(publisher, async (agent, isSkipped) => {
    const certificates = isSkipped
      ? []
      : await readCertificates({ agent, publisher }).catch(() => []);
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
  const isOnly = all.length === 1;
  const found = await Promise.all(
    all.map(async (agent) => {
      if (isOnly) return collect(agent, false);
      const families = collect(agent, agent.client.isSilent());
      const inTime = await within(families, EACH_MS, () => []);
      return inTime.map((family) => labelled(family, agent.name));
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
