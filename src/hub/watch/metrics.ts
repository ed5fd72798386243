/**
 * The hub's metrics: some are counted as things happen, others looked up for each scrape; of one of several
 * agents, these have the label `agent`.
 */
import { within } from '../../shared/async.ts';
import { EVENT_NAMES } from '../../shared/events.ts';
import type { Log } from '../../shared/log.ts';
import {
  type Collector,
  countRequests,
  createMetrics,
  type Family,
  type Metrics,
} from '../../shared/observe/metrics.ts';
import type { RequestSeen } from '../../shared/observe/requests.ts';
import type { Agent } from '../agents/agents.ts';
import type { AgentClient } from '../agents/client.ts';
import type { SignInFailure } from '../auth/accounts/count-sign-ins.ts';
import { labelOf } from '../model/agent.ts';
import type { Publisher } from '../publish/publisher.ts';
import { OUTCOMES, type PublishSeen } from '../publish/target/outcome.ts';
import type { Incidents } from './incidents/incidents.ts';
import type { ProblemView } from './problem.ts';
import { readCertificates } from './sites/certificates.ts';
import { findUnserved } from './sites/unserved.ts';

export type HubMetrics = Pick<Metrics, 'text' | 'contentType' | 'counter'> & {
  request(seen: RequestSeen): void;
  publish(seen: PublishSeen): void;
  signInFailed(reason: SignInFailure): void;
};

/** @param collectors look up values for each scrape; a feature adds one for its own metrics */
export function createHubMetrics(collectors: readonly Collector[], log: Log): HubMetrics {
  const metrics = createMetrics({ collectors, log });
  const publishes = metrics.counter(
    'signalbox_publishes_total',
    'Publishes sent to the agent; kind is change, or again when the stored set is published again after a fault.',
    ['outcome', 'kind'],
  );
  for (const outcome of OUTCOMES) publishes.inc({ outcome, kind: 'change' }, 0);
  const duration = metrics.histogram(
    'signalbox_publish_duration_seconds',
    'Time from rendering a publish until it is recorded or refused.',
    ['outcome'],
  );
  const changes = metrics.counter(
    'signalbox_published_changes_total',
    'Changes that are live and recorded.',
  );
  const failures = metrics.counter(
    'signalbox_sign_in_failures_total',
    'Failed sign-ins: wrong credentials, or too many attempts.',
    ['reason'],
  );
  for (const reason of ['credentials', 'rate_limited']) failures.inc({ reason }, 0);

  return {
    text: metrics.text,
    contentType: metrics.contentType,
    counter: metrics.counter,
    request: countRequests(metrics),

    publish({ outcome, milliseconds, changes: count }) {
      publishes.inc({ outcome, kind: count === 0 ? 'again' : 'change' });
      duration.observe({ outcome }, milliseconds / 1000);
      if (outcome === 'accepted') changes.inc(count);
    },

    signInFailed: (reason) => failures.inc({ reason }),
  };
}

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
    const { length } = await findUnserved({ agent, publisher }, status);
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

/** One gauge without labels; true is 1, false is 0, and what is not known is left out. */
const gauge = (name: string, help: string, value: number | boolean | undefined): Family => ({
  name: `signalbox_${name}`,
  help,
  type: 'gauge',
  samples: value === undefined ? [] : [{ value: Number(value) }],
});

/** How many problems the last look found: as many as the status lists. */
export const collectProblems = (
  problems: readonly Pick<ProblemView, 'level' | 'known'>[],
): Family[] => [
  {
    name: 'signalbox_problems',
    help: 'Current problems, as listed by /api/status, without those that are known.',
    type: 'gauge',
    samples: (['bad', 'warn'] as const).map((level) => ({
      labels: { level },
      value: problems.filter((one) => one.level === level && !one.known).length,
    })),
  },
];

export function collectIncidents(incidents: Pick<Incidents, 'open'>): Family[] {
  const open = incidents.open();
  return [
    {
      name: 'signalbox_incidents_open',
      help: 'Unresolved incidents.',
      type: 'gauge',
      samples: EVENT_NAMES.map((event) => ({ labels: { event }, value: open.get(event) ?? 0 })),
    },
  ];
}

/** Stored vhosts and pending changes; asks neither agent nor proxy. */
export function collectVhosts(publisher: Publisher): readonly Family[] {
  const { vhosts } = publisher.current();
  const enabled = vhosts.filter((vhost) => vhost.enabled).length;
  const last = publisher.lastPublish();
  return [
    {
      name: 'signalbox_vhosts',
      help: 'Stored vhosts.',
      type: 'gauge',
      samples: [
        { labels: { enabled: 'true' }, value: enabled },
        { labels: { enabled: 'false' }, value: vhosts.length - enabled },
      ],
    },
    gauge(
      'publish_queue_length',
      'Changes without a response yet, including those being published.',
      publisher.queueLength(),
    ),
    ...(last === null
      ? []
      : [
          gauge(
            'last_publish_timestamp_seconds',
            'When the last change went live.',
            last.at.getTime() / 1000,
          ),
        ]),
  ];
}

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
