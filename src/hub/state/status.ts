/** How hub, agent and proxy are, and whether they are in step. */
import { type Static, t } from 'elysia';
import { ADVISORIES_AS_OF, advisoriesFor, SAFE_VERSION } from '../../shared/advisories.ts';
import { messageOf } from '../../shared/async.ts';
import { type Failure, sentenceOf } from '../../shared/failure.ts';
import type { ProxyStatus } from '../../shared/wire.ts';
import { type AgentClient, NO_ANSWER } from '../agent-client/client.ts';
import { Timestamp } from '../http/schemas.ts';
import { readServing } from '../publish/ports.ts';
import type { Publisher } from '../publish/publisher.ts';
import { endingCertificates } from './certificates.ts';
import { ServingOrNull } from './ports-routes.ts';
import { Problem } from './problem.ts';
import { EDITED, keyOf, problemsOf } from './problems.ts';
import { createRecentSites } from './recent-sites.ts';
import { findUnserved, sentenceOfClosed } from './unserved.ts';
import { statesOf } from './vhost-state.ts';

export type StatusDeps = {
  agent: AgentClient;
  publisher: Publisher;
  /** The hub's own. */
  warnings: readonly string[];
  version: string;
  /** The commit that the binary was built from. */
  commit: string | null;
  /** As `elapsed` gives it. */
  startedAt: number;
  now: () => Date;
  /** Milliseconds from a clock that is never set. */
  elapsed: () => number;
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
    serving: ServingOrNull,
    proxy: t.Object({ running: t.Boolean(), version: nullable(t.String()) }),
    problems: t.Array(Problem, {
      description:
        'all that is wrong, one entry per cause, worst first; what is not known is left out',
    }),
    advisories: nullable(
      t.Array(t.Object({ id: t.String(), summary: t.String(), fixedIn: t.String() }), {
        description: `security advisories that affect the proxy's version, from a table of ${ADVISORIES_AS_OF}; null if the version is unknown`,
      }),
    ),
    upgrade: nullable(
      t.String({ description: 'how to get a version without them; null if there are none' }),
    ),
    inStep: t.Boolean({
      description:
        'the proxy and the file on disk match what is stored, apart from what is in `broken`',
    }),
    foreign: t.Boolean({ description: 'the proxy serves sites that this hub did not publish' }),
    drift: t.Boolean({ description: 'another program changed the file on disk' }),
    restartNeeded: t.Boolean({ description: 'a failed start may have left listeners open' }),
    lastPublish: nullable(
      t.Object({ at: Timestamp, milliseconds: t.Number(), changes: t.Integer() }),
    ),
    warnings: t.Array(t.String(), { description: 'what the operator should know' }),
    broken: t.Array(t.Object({ id: t.Integer(), domain: t.String(), detail: t.String() }), {
      description:
        'stored vhosts that are not served: the proxy refuses them, or could not open their port',
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

/** @returns a function that never fails: if the agent does not respond, the status says so */
export function createStatusReader(deps: StatusDeps): () => Promise<HubStatus> {
  const { agent, publisher, version, commit, startedAt, now, elapsed } = deps;
  const recentSites = createRecentSites({ agent, elapsed });
  /** When each problem was found first. */
  let since: ReadonlyMap<string, string> = new Map();

  /** Everything that is not put into fields of its own. */
  const otherWarnings = (status: ProxyStatus | null): string[] => [
    ...deps.warnings,
    ...(status?.warnings ?? []),
    ...publisher.warnings(),
  ];

  return async () => {
    const from = performance.now();
    const ending = endingCertificates({ agent, publisher, now }).catch(() => []);
    const asked = recentSites();
    let agentFault: string | null = null;
    const status = await agent.status().catch((error: unknown) => {
      const reason = messageOf(error);
      if (reason !== NO_ANSWER) agentFault = reason;
      return null;
    });
    const latencyMs = status === null ? null : roundToTenths(performance.now() - from);
    const live = status === null ? null : await asked;
    const unserved = await findUnserved(deps, status, live ?? undefined);
    const serving = await readServing(deps, status);
    const certificates = await ending;
    const set = publisher.current();
    const last = publisher.lastPublish();
    const proxy = status?.proxy ?? { running: false, version: null };
    const advisories = advisoriesFor(proxy.version);
    const inStep = status !== null && publisher.isInStep(status);
    const rejection = rejectionOf(publisher.failure());
    const ownership = publisher.ownership();
    const warnings = otherWarnings(status);
    const time = now();
    const problems = problemsOf(
      {
        ...{ now: time.toISOString(), status, agentFault, inStep, rejection, ownership },
        ...{ unserved, serving, certificates },
        sites: live && set.vhosts.map(statesOf(set, live, unserved, time)),
        advisories: { count: advisories?.length ?? 0, cure: UPGRADE },
        warnings: warnings.filter((one) => one !== ownership),
      },
      since,
    );
    const found = problems.map((problem) => [keyOf(problem), problem.since] as const);
    // Without the agent, nobody knows whether the others are over.
    since = new Map(status === null ? [...since, ...found] : found);
    return {
      version,
      commit,
      uptimeSeconds: Math.floor((elapsed() - startedAt) / 1000),
      agent: { reachable: status !== null, latencyMs },
      proxy,
      serving,
      problems,
      advisories,
      upgrade: advisories?.length ? UPGRADE : null,
      inStep,
      foreign: status?.foreign ?? false,
      drift: status?.drift ?? false,
      restartNeeded: status?.restartNeeded ?? false,
      lastPublish: last && {
        at: last.at.toISOString(),
        milliseconds: roundToTenths(last.milliseconds),
        changes: last.changes,
      },
      warnings: [
        ...warnings,
        ...(agentFault === null ? [] : [agentFault]),
        ...(status?.drift ? [EDITED] : []),
        ...(status?.closed ?? []).map((one) => `${sentenceOfClosed(one)}.`),
        ...(rejection === null ? [] : [`What is stored is not live: ${rejection}`]),
      ],
      broken: unserved.map(({ vhost: { id, domain }, detail }) => ({ id, domain, detail })),
      certificates,
    };
  };
}

/** Why the proxy refused what is stored; null if it did not. */
const rejectionOf = (failure: Failure | null): string | null =>
  failure?.code === 'PROXY_REJECTED' ? (sentenceOf(failure) ?? failure.message) : null;
