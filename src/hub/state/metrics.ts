/** The hub's numbers: what is counted as it happens, and what is looked up when somebody asks. */
import type { Log } from '../../shared/observe/log.ts';
import {
  type Collector,
  countRequests,
  createMetrics,
  type Family,
} from '../../shared/observe/metrics.ts';
import type { AgentClient } from '../agent-client/client.ts';
import { OUTCOMES, type PublishSeen } from '../publish/outcome.ts';
import type { Publisher } from '../publish/publisher.ts';
import { type CertificatesDeps, readCertificates } from './certificates.ts';

export type SignInFailure = 'credentials' | 'rate_limited';
export type HubMetrics = ReturnType<typeof createHubMetrics>;

/** Two lookups at the agent, within Prometheus' ten seconds. */
const AGENT_DEADLINE_MS = 2_000;

/** @param collectors what is looked up; a feature with numbers of its own adds one here */
export function createHubMetrics(collectors: readonly Collector[], log: Log) {
  const metrics = createMetrics({ collectors, log });
  const publishes = metrics.counter(
    'signalbox_publishes_total',
    'Publishes handed to the agent; kind is change, or again for the stored set after a fault.',
    ['outcome', 'kind'],
  );
  for (const outcome of OUTCOMES) publishes.inc({ outcome, kind: 'change' }, 0);
  const duration = metrics.histogram(
    'signalbox_publish_duration_seconds',
    'Time from the rendering to the record, or to the refusal.',
    ['outcome'],
  );
  const changes = metrics.counter(
    'signalbox_published_changes_total',
    'Changes that are live and recorded.',
  );
  const failures = metrics.counter(
    'signalbox_sign_in_failures_total',
    'Sign-ins refused: wrong credentials, or too many attempts.',
    ['reason'],
  );
  for (const reason of ['credentials', 'rate_limited']) failures.inc({ reason }, 0);

  return {
    text: metrics.text,
    contentType: metrics.contentType,
    request: countRequests(metrics),

    publish({ outcome, milliseconds, changes: count }: PublishSeen): void {
      publishes.inc({ outcome, kind: count === 0 ? 'again' : 'change' });
      duration.observe({ outcome }, milliseconds / 1000);
      if (outcome === 'accepted') changes.inc(count);
    },

    signInFailed: (reason: SignInFailure): void => failures.inc({ reason }),
  };
}

/** One gauge without labels; a truth is 1 or 0. */
const gauge = (name: string, help: string, value: number | boolean): Family => ({
  name: `signalbox_${name}`,
  help,
  type: 'gauge',
  samples: [{ value: Number(value) }],
});

/** What is stored and waits; needs nobody else. */
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
      'vhosts_broken',
      'Stored vhosts that the proxy takes no longer.',
      publisher.broken().length,
    ),
    gauge(
      'publish_queue_length',
      'Changes that have no answer yet, those being published among them.',
      publisher.queueLength(),
    ),
    ...(last === null
      ? []
      : [
          gauge(
            'last_publish_timestamp_seconds',
            'When the last change became live.',
            last.at.getTime() / 1000,
          ),
        ]),
  ];
}

/** How agent and proxy are; one that does not answer in time is down. Never fails. */
export async function collectStanding(
  agent: Pick<AgentClient, 'status' | 'answers'>,
  publisher: Pick<Publisher, 'isInStep'>,
): Promise<readonly Family[]> {
  const [status, answers] = await Promise.all([
    agent.status(AGENT_DEADLINE_MS).catch(() => null),
    agent.answers(AGENT_DEADLINE_MS),
  ]);
  return [
    gauge('agent_up', 'Whether the agent answers.', answers || status !== null),
    gauge('proxy_up', 'Whether the proxy answers the agent.', status?.proxy.running ?? false),
    gauge(
      'in_step',
      'Whether proxy and file show exactly what is stored.',
      status !== null && publisher.isInStep(status),
    ),
    gauge('drift', 'Whether somebody else changed the file on disk.', status?.drift ?? false),
    gauge(
      'restart_needed',
      'Whether a failed start may have left listeners behind.',
      status?.restartNeeded ?? false,
    ),
  ];
}

/** When each certificate that the proxy shows ends; nothing where nobody can be asked. */
export async function collectCertificates(deps: CertificatesDeps): Promise<readonly Family[]> {
  const certificates = await readCertificates(deps).catch(() => []);
  // Several vhosts may have a name at different ports.
  const byName = new Map(certificates.map(({ name, notAfter }) => [name, notAfter]));
  return [
    {
      name: 'signalbox_certificate_expiry_timestamp_seconds',
      help: 'When the certificate that the proxy shows for a name ends.',
      type: 'gauge',
      labelNames: ['name'],
      samples: [...byName].map(([name, notAfter]) => ({
        labels: { name },
        value: notAfter.getTime() / 1000,
      })),
    },
  ];
}
