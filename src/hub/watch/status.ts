/** How hub, agent and proxy are, and whether they are in step. */
import { ADVISORIES_AS_OF, advisoriesFor } from '../../shared/advisories.ts';
import { oldestOf } from '../agents/proxy.ts';
import type { AgentView } from '../http/agent-view.ts';
import { obstaclesOf } from '../model/obstacles.ts';
import { worstServing } from '../publish/serving.ts';
import { type AgentFacts, type FactsDeps, roundToTenths, UPGRADE } from './agent-facts.ts';
import type { Look } from './look.ts';
import { saying } from './problem.ts';
import { createProblemList } from './problem-list.ts';
import { EDITED, notLive } from './problems/agent.ts';
import { mostUrgent } from './sites/certificates.ts';
import { sentenceOfClosed } from './sites/unserved.ts';

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

/** @returns a function that never fails: if an agent does not respond, the status says so */
export function createStatusReader(deps: StatusDeps) {
  const { publisher, look, version, commit, startedAt, elapsed, now } = deps;
  const listProblems = createProblemList();

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
    ...{ id, domain: same[0]?.domain ?? '' },
    detail: saying(same).join('; '),
  }));
};
