/** How hub, agent and proxy are, and whether they are in step. */
import { type Static, t } from 'elysia';
import { ADVISORIES_AS_OF, advisoriesFor, SAFE_VERSION } from '../../shared/advisories.ts';
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
  /** The commit that the binary was built from. */
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
    advisories: nullable(
      t.Array(t.Object({ id: t.String(), summary: t.String(), fixedIn: t.String() }), {
        description: `security advisories that affect the proxy's version, from a table of ${ADVISORIES_AS_OF}; null if the version is unknown`,
      }),
    ),
    upgrade: nullable(
      t.String({ description: 'how to get a version without them; null if there are none' }),
    ),
    inStep: t.Boolean({ description: 'the proxy and the file on disk match what is stored' }),
    foreign: t.Boolean({ description: 'the proxy serves sites that signalbox did not write' }),
    drift: t.Boolean({ description: 'another program changed the file on disk' }),
    restartNeeded: t.Boolean({ description: 'a failed start may have left listeners open' }),
    lastPublish: nullable(
      t.Object({ at: Timestamp, milliseconds: t.Number(), changes: t.Integer() }),
    ),
    warnings: t.Array(t.String(), { description: 'what the operator should know' }),
    broken: t.Array(t.Object({ id: t.Integer(), domain: t.String(), detail: t.String() }), {
      description: 'stored vhosts that the proxy no longer accepts',
    }),
    certificates: t.Array(
      t.Object({
        id: t.Integer({ description: 'of the vhost' }),
        domain: t.String({ description: 'of the vhost' }),
        name: t.String({ description: 'the host name that the certificate is for' }),
        issuer: t.String(),
        notAfter: Timestamp,
        daysLeft: t.Integer({ description: 'whole days; negative if it has expired' }),
        overdue: t.Boolean({
          description: 'not renewed automatically, or the proxy should have renewed it by now',
        }),
      }),
      {
        description:
          'certificates that expire within 14 days, overdue ones first, at most 100; empty if the agent or the proxy does not respond',
      },
    ),
  },
  { title: 'Status' },
);
export type HubStatus = Static<typeof HubStatus>;

/** How to get rid of all advisories. */
export const UPGRADE = `Install Caddy ${SAFE_VERSION} or newer from Caddy's own package repository, with the commands in docs/deployment.md under "A newer Caddy".`;

const roundToTenths = (value: number) => Math.round(value * 10) / 10;

/** Caddy does not count the loads that it refuses; whoever tries one has usually edited the file. */
const EDITED =
  'The Caddyfile on disk was edited, and Caddy does not serve that text: only signalbox may load a configuration, so `caddy reload` and `systemctl reload caddy` are refused. Import the file instead.';

/** Never fails: if the agent does not respond, the status says so. */
export async function readStatus(deps: StatusDeps): Promise<HubStatus> {
  const { agent, publisher, warnings, version, commit, startedAt, now } = deps;
  const from = performance.now();
  const ending = endingCertificates({ agent, publisher, now }).catch(() => []);
  const status = await agent.status().catch(() => null);
  const latencyMs = status === null ? null : roundToTenths(performance.now() - from);
  const last = publisher.lastPublish();
  const proxy = status?.proxy ?? { running: false, version: null };
  const advisories = advisoriesFor(proxy.version);
  return {
    version,
    commit,
    uptimeSeconds: Math.floor((now().getTime() - startedAt.getTime()) / 1000),
    agent: { reachable: status !== null, latencyMs },
    proxy,
    advisories,
    upgrade: advisories?.length ? UPGRADE : null,
    inStep: status !== null && publisher.isInStep(status),
    foreign: status?.foreign ?? false,
    drift: status?.drift ?? false,
    restartNeeded: status?.restartNeeded ?? false,
    lastPublish: last && {
      at: last.at.toISOString(),
      milliseconds: roundToTenths(last.milliseconds),
      changes: last.changes,
    },
    warnings: [...warnings, ...(status?.warnings ?? []), ...(status?.drift ? [EDITED] : [])],
    broken: publisher.broken().map(({ vhost, failure }) => ({
      id: vhost.id,
      domain: vhost.domain,
      detail: sentenceOf(ofVhost(failure)) ?? failure.message,
    })),
    certificates: await ending,
  };
}
