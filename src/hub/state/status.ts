/** How hub, agent and proxy are, and whether they are in step. */
import { type Static, t } from 'elysia';
import { ADVISORIES_AS_OF, advisoriesFor } from '../../shared/advisories.ts';
import { oldestOf } from '../agents/proxy.ts';
import { AgentView } from '../http/agent-view.ts';
import { Timestamp } from '../http/schemas.ts';
import { obstaclesOf } from '../model/obstacles.ts';
import { worstServing } from '../publish/serving.ts';
import { type AgentFacts, type FactsDeps, roundToTenths, UPGRADE } from './agent-facts.ts';
import { mostUrgent } from './certificates.ts';
import type { Look } from './look.ts';
import { ServingOrNull } from './ports-routes.ts';
import { Problem } from './problem.ts';
import { saying, unnamed } from './saying.ts';
import { createProblems } from './several-problems.ts';

export type StatusDeps = Omit<FactsDeps, 'pace'> & {
  look: () => Promise<Look>;
  /** As `GET /agents` shows them. */
  agents: () => AgentView[];
  /** The hub's own. */
  warnings: readonly string[];
  version: string;
  /** The commit that the binary was built from. */
  commit: string | null;
  /** As `elapsed` gives it. */
  startedAt: number;
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
        'all current problems, one entry per cause, worst first; unknown facts are left out',
    }),
    advisories: nullable(
      t.Array(t.Object({ id: t.String(), summary: t.String(), fixedIn: t.String() }), {
        description:
          "security advisories that affect the proxy's version; null if the version is unknown",
      }),
    ),
    advisoriesAsOf: t.String({
      format: 'date',
      description:
        'the day of the table that `advisories` is from; a problem says if that is long ago',
    }),
    upgrade: nullable(
      t.String({
        description: 'how to get a version without them; null if there are no advisories',
      }),
    ),
    beforeUpgrade: t.Array(
      t.Object({
        vhost: t.Optional(
          t.Object(
            { id: t.Integer(), domain: t.String() },
            { description: 'absent: it is in the preamble' },
          ),
        ),
        agents: t.Optional(
          t.Array(t.String(), { description: 'whose preamble, if they have one of their own' }),
        ),
        line: t.Integer({ description: 'of the config, or of the preamble' }),
        since: t.String({ description: 'the first release that is known to refuse it' }),
        detail: t.String(),
        instead: t.String({ description: 'what to write instead' }),
      }),
      {
        description:
          'what a newer version refuses although the running one accepts it, in the preamble and in enabled vhosts, at most 100; empty if the version is unknown',
      },
    ),
    agents: t.Array(AgentView, {
      description:
        'the first one first; with several agents, the other fields report the worst of them',
    }),
    inStep: t.Boolean({
      description:
        'the proxy and the file on disk match the stored state, apart from vhosts in `broken`; or the checks of a change are running',
    }),
    foreign: t.Boolean({ description: 'the proxy serves sites that this hub did not publish' }),
    drift: t.Boolean({ description: 'another program changed the file on disk' }),
    restartNeeded: t.Boolean({ description: 'a failed start may have left listeners open' }),
    lastPublish: nullable(
      t.Object({ at: Timestamp, milliseconds: t.Number(), changes: t.Integer() }),
    ),
    warnings: t.Array(t.String(), { description: 'warnings for the operator' }),
    broken: t.Array(t.Object({ id: t.Integer(), domain: t.String(), detail: t.String() }), {
      description:
        'stored vhosts that are not served: the proxy refuses them, or could not open their port',
    }),
    certificates: t.Array(
      t.Object({
        id: t.Integer({ description: 'of the vhost' }),
        domain: t.String({ description: 'of the vhost' }),
        agent: t.Optional(
          t.String({ description: 'whose proxy has it; only if the hub has several agents' }),
        ),
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

/** @returns a function that never fails: if an agent does not respond, the status says so */
export function createStatusReader(deps: StatusDeps): () => Promise<HubStatus> {
  const { publisher, look, version, commit, startedAt, elapsed, now } = deps;
  const problemsOfAll = createProblems();

  return async () => {
    const { isOnly, agents: all, hub } = await look();
    const statuses = all.map(({ status }) => status);
    const isAnswered = all.every(({ status }) => status !== null);
    const say = isOnly ? unnamed : saying;
    const listed = (list: 'warnings' | 'more') =>
      say(all.flatMap((one) => one[list].map((message) => ({ name: one.name, message }))));
    const proxy = {
      running: statuses.every((status) => status?.proxy.running === true),
      version: oldestOf(statuses.map((status) => status?.proxy.version ?? null)),
    };
    const advisories = advisoriesFor(proxy.version);
    const last = publisher.lastPublish();
    return {
      version,
      commit,
      uptimeSeconds: Math.floor((elapsed() - startedAt) / 1000),
      agent: {
        reachable: isAnswered,
        latencyMs: isAnswered ? Math.max(...all.map(({ latencyMs }) => latencyMs ?? 0)) : null,
      },
      proxy,
      serving: isOnly ? (all[0]?.serving ?? null) : worstServing(all),
      problems: problemsOfAll(all, deps.warnings, { isOnly, now: now(), hub }),
      advisories,
      advisoriesAsOf: ADVISORIES_AS_OF,
      upgrade: advisories?.length ? UPGRADE : null,
      beforeUpgrade: [...(await obstaclesOf(publisher.current(), proxy.version))],
      agents: deps.agents(),
      inStep: all.every(({ inStep }) => inStep),
      foreign: statuses.some((status) => status?.foreign === true),
      drift: statuses.some((status) => status?.drift === true),
      restartNeeded: statuses.some((status) => status?.restartNeeded === true),
      lastPublish: last && {
        at: last.at.toISOString(),
        milliseconds: roundToTenths(last.milliseconds),
        changes: last.changes,
      },
      warnings: [...deps.warnings, ...listed('warnings'), ...listed('more')],
      broken: brokenOf(all, say),
      certificates: mostUrgent(
        all.flatMap(({ name, ending }) =>
          isOnly ? ending : ending.map((one) => ({ ...one, agent: name })),
        ),
      ),
    };
  };
}

/** @param say as `saying` */
const brokenOf = (all: readonly AgentFacts[], say: typeof saying): HubStatus['broken'] => {
  const found = all.flatMap(({ name, unserved }) =>
    unserved.map(({ vhost: { id, domain }, detail }) => ({ name, id, domain, message: detail })),
  );
  return [...Map.groupBy(found, ({ id }) => id)].map(([id, same]) => ({
    ...{ id, domain: same[0]?.domain ?? '' },
    detail: say(same).join('; '),
  }));
};
