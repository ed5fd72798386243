/** How hub, agent and proxy are, and whether they are in step. */
import { ADVISORIES_AS_OF, advisoriesFor } from '../../shared/advisories.ts';
import type { Clock } from '../../shared/clock.ts';
import { oldestOf, sentenceOfClosed } from '../agents/proxy.ts';
import type { AgentView } from '../http/agent-view.ts';
import { obstaclesOf } from '../model/obstacles.ts';
import { sourcesOf } from '../model/source.ts';
import type { Publisher } from '../publish/publisher.ts';
import { worstServing } from '../publish/serving.ts';
import { type AgentFacts, roundToTenths } from './agent-facts.ts';
import type { Look } from './look.ts';
import { saying } from './problem.ts';
import type { ListProblems } from './problem-list.ts';
import { EDITED, notLive } from './problems/agent.ts';
import { mostUrgent } from './sites/certificates.ts';

export type StatusDeps = Clock & {
  publisher: Publisher;
  look: () => Promise<Look>;
  listProblems: ListProblems;
  /** As `GET /agents` shows them. */
  agents: () => AgentView[];
  /** The hub's own. */
  warnings: readonly string[];
  version: string;
  /** The commit that the binary was built from. */
  commit: string | null;
  /** As `elapsed` gives it. */
  startedAt: number;
  /** `checking`: for how many milliseconds after a start or a change. */
  pace: { checking: number };
};

export type Status = Awaited<ReturnType<ReturnType<typeof createStatusReader>>>;

/** @returns a function that never fails: if an agent does not respond, the status says so */
export function createStatusReader(deps: StatusDeps) {
  const { publisher, look, listProblems, version, commit, startedAt, elapsed, now, pace } = deps;

  /** Whether hub or last change are so new that what has not been looked at will be. */
  function isRecent(): boolean {
    const changedAt = publisher.lastPublish()?.at.getTime() ?? 0;
    return Math.min(elapsed() - startedAt, now().getTime() - changedAt) < pace.checking;
  }

  return async () => {
    const found = await look();
    const { agents: all } = found;
    const statuses = all.map(({ status }) => status);
    const isAnswered = all.every(({ status }) => status !== null);
    const listed = (of: (facts: AgentFacts) => readonly string[]) =>
      saying(all.flatMap((one) => of(one).map((message) => ({ label: one.label, message }))));
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
      serving: worstServing(all),
      problems: listProblems(found, now()),
      checking: isRecent() ? unseenIn(all).size : 0,
      advisories,
      advisoriesAsOf: ADVISORIES_AS_OF,
      upgrade: all.find((one) => one.advisories.count > 0)?.advisories.cure ?? null,
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
      sources: [...sourcesOf(publisher.current())],
      warnings: [...deps.warnings, ...listed((one) => one.warnings), ...listed(alsoWarned)],
      broken: brokenOf(all),
      certificates: mostUrgent(
        all.flatMap(({ label, certificates }) =>
          certificates.map((one) => ({ ...one, ...(label !== undefined && { agent: label }) })),
        ),
      ),
    };
  };
}

/** The enabled sites that an agent has not looked at since the last change; those of an outage are none. */
const unseenIn = (all: readonly AgentFacts[]): Set<number> =>
  new Set(
    all.flatMap(({ status, sites, isCurrent, placed, unserved }) => {
      if (!status?.proxy.running) return [];
      const refused = new Set(unserved.map(({ vhost }) => vhost.id));
      const seen = (isCurrent ? (sites ?? []) : []).filter(({ checking }) => !checking);
      const known = new Set(seen.map(({ id }) => id));
      return [...placed].filter((id) => !known.has(id) && !refused.has(id));
    }),
  );

/** What is a warning as well, although it has a field. */
const alsoWarned = ({ agentFault, status, rejection }: AgentFacts): string[] => [
  ...(agentFault === null ? [] : [agentFault]),
  ...(status?.drift ? [EDITED] : []),
  ...(status?.closed ?? []).map((one) => `${sentenceOfClosed(one)}.`),
  ...(rejection === null ? [] : [notLive(rejection)]),
];

const brokenOf = (all: readonly AgentFacts[]) => {
  const found = all.flatMap(({ label, unserved }) =>
    unserved.map(({ vhost: { id, domain }, detail }) => ({ label, id, domain, message: detail })),
  );
  return [...Map.groupBy(found, ({ id }) => id)].map(([id, same]) => ({
    id,
    domain: same[0]?.domain ?? '',
    ...agentsOf(same.flatMap(({ label }) => label ?? [])),
    detail: saying(same).join('; '),
  }));
};

const agentsOf = (agents: readonly string[]) => (agents.length > 0 ? { agents: [...agents] } : {});
