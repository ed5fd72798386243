/** `/status`: how hub, agent and proxy stand to each other, in one answer. */
import { t } from 'elysia';
import { sentenceOf } from '../../shared/failure.ts';
import type { AgentClient } from '../agent-client/client.ts';
import { Timestamp } from '../http/schemas.ts';
import type { Publisher } from '../publish/publisher.ts';
import { ofVhost } from '../publish/refusal.ts';
import { endingCertificates } from './certificates.ts';

export type StatusDeps = {
  agent: AgentClient;
  publisher: Publisher;
  warnings: readonly string[];
  version: string;
  /** What a binary was built from. */
  commit: string | null;
  startedAt: Date;
  now: () => Date;
};

const nullable = <T extends Parameters<typeof t.Union>[0][number]>(schema: T) =>
  t.Union([schema, t.Null()]);

export const HubStatus = t.Object(
  {
    version: t.String(),
    commit: nullable(t.String()),
    uptimeSeconds: t.Integer(),
    agent: t.Object({
      reachable: t.Boolean(),
      latencyMs: nullable(t.Number()),
    }),
    proxy: t.Object({ running: t.Boolean(), version: nullable(t.String()) }),
    inStep: t.Boolean({ description: 'proxy and file on disk show exactly what is stored' }),
    foreign: t.Boolean({ description: 'the proxy serves sites that signalbox did not write' }),
    drift: t.Boolean({ description: 'somebody else changed the file on disk' }),
    restartNeeded: t.Boolean({ description: 'a failed start may have left listeners behind' }),
    lastPublish: nullable(
      t.Object({ at: Timestamp, milliseconds: t.Number(), changes: t.Integer() }),
    ),
    warnings: t.Array(t.String(), { description: 'what an operator should know' }),
    broken: t.Array(t.Object({ id: t.Integer(), domain: t.String(), detail: t.String() }), {
      description: 'stored vhosts that the proxy takes no longer',
    }),
    certificates: t.Array(
      t.Object({
        id: t.Integer({ description: 'of the vhost' }),
        domain: t.String({ description: 'of the vhost' }),
        name: t.String({ description: 'the host name it was shown for' }),
        issuer: t.String(),
        notAfter: Timestamp,
        daysLeft: t.Integer({ description: 'whole days; negative where it has expired' }),
        overdue: t.Boolean({
          description: 'nothing renews it by itself, or the proxy should have done so by now',
        }),
      }),
      {
        description:
          'those that expire within 14 days, overdue ones first, at most 100; none where the agent or the proxy does not answer',
      },
    ),
  },
  { title: 'Status' },
);

const tenths = (value: number) => Math.round(value * 10) / 10;

/** Caddy does not count the loads that it refuses; whoever tries one has usually edited the file. */
const EDITED =
  'The Caddyfile on disk was edited, and Caddy does not serve that text: only signalbox may load a configuration, so `caddy reload` and `systemctl reload caddy` are refused. Import the file instead.';

/** Never fails: an agent that does not answer is part of the answer. */
export async function readStatus({
  agent,
  publisher,
  warnings,
  version,
  commit,
  startedAt,
  now,
}: StatusDeps) {
  const from = performance.now();
  const shown = endingCertificates({ agent, publisher, now }).catch(() => []);
  const proxy = await agent.status().catch(() => null);
  const latencyMs = proxy === null ? null : tenths(performance.now() - from);
  const last = publisher.lastPublish();
  return {
    version,
    commit,
    uptimeSeconds: Math.floor((now().getTime() - startedAt.getTime()) / 1000),
    agent: { reachable: proxy !== null, latencyMs },
    proxy: proxy?.proxy ?? { running: false, version: null },
    inStep: proxy !== null && publisher.isInStep(proxy),
    foreign: proxy?.foreign ?? false,
    drift: proxy?.drift ?? false,
    restartNeeded: proxy?.restartNeeded ?? false,
    lastPublish: last && {
      at: last.at.toISOString(),
      milliseconds: tenths(last.milliseconds),
      changes: last.changes,
    },
    warnings: proxy?.drift ? [...warnings, EDITED] : [...warnings],
    broken: publisher.broken().map(({ vhost, failure }) => ({
      id: vhost.id,
      domain: vhost.domain,
      detail: sentenceOf(ofVhost(failure)) ?? failure.message,
    })),
    certificates: await shown,
  };
}
