/** The list of all problems: one entry per cause, worst first, which says whose proxies it is about. */

import { byDomain } from '../model/vhost.ts';
import type { AgentFacts } from './agent-facts.ts';
import type { Look } from './look.ts';
import {
  keyOf,
  listed,
  type Problem,
  type ProblemView,
  said,
  sentence,
  worstFirst,
} from './problem.ts';
import { problemsOf } from './problems/agent.ts';
import { advisedStates } from './sites/several.ts';

/** Since when each problem is there, by `keyOf`. */
type Since = ReadonlyMap<string, string>;

type Dated = ProblemView & Pick<Problem, 'cause'>;

/** @returns a function that lists them, and remembers when each was found first */
export function createProblemList(): (
  look: Pick<Look, 'agents' | 'hub'>,
  now: Date,
) => ProblemView[] {
  /** By agent. */
  let known: ReadonlyMap<string, Since> = new Map();
  let ofHub: Since = new Map();

  return ({ agents, hub }, now) => {
    const problems = problemsOfEach(agents);
    const found = agents.map(({ name, label, status, now: time }, i) => {
      const before: Since = known.get(name) ?? new Map();
      return { name, label, status, before, all: dated(problems[i] ?? [], before, time) };
    });
    known = new Map(
      found.map(({ name, status, before, all }) => [
        name,
        // Without the agent, nobody knows whether the others are over.
        new Map([...(status === null ? before : []), ...sinceOf(all)]),
      ]),
    );
    const own = dated(hub, ofHub, now.toISOString());
    ofHub = sinceOf(own);
    return [...shared(together(found)), ...own].toSorted(worstFirst);
  };
}

/** The problems of each agent, in their order. */
export function problemsOfEach(agents: readonly AgentFacts[]): Problem[][] {
  const advised = advisedStates(agents.map(({ name, sites }) => ({ name, states: sites ?? [] })));
  return agents.map((facts, i) => problemsOf({ ...facts, sites: advised[i]?.states ?? null }));
}

/** With when each was found first, worst first. */
export const dated = (found: readonly Problem[], since: Since, now: string): Dated[] =>
  found
    .map((one) => {
      const { code, level, vhost, message, cause } = one;
      const known = { code, level, since: one.since ?? since.get(keyOf(one)) ?? now, message };
      return { ...known, ...(vhost && { vhost }), ...(cause !== undefined && { cause }) };
    })
    .toSorted(worstFirst);

const sinceOf = (all: readonly ProblemView[]): Since =>
  new Map(all.map((one) => [keyOf(one), one.since]));

/** What several agents have in common is one problem, since the first of them had it. */
function together(found: readonly { label: string | undefined; all: readonly Dated[] }[]): Dated[] {
  const each = found.flatMap(({ label, all }) => all.map((problem) => ({ label, problem })));
  const groups = Map.groupBy(each, ({ problem: { code, level, vhost, message } }) =>
    JSON.stringify([code, level, vhost?.id, message]),
  );
  return [...groups.values()].flatMap((same) => {
    const labels = same.map(({ label }) => label);
    const agents = labels.flatMap((label) => label ?? []);
    const [first] = same.map(({ problem }) => problem).toSorted(worstFirst);
    if (!first) return [];
    const message = said(labels, first.message);
    return { ...first, ...(agents.length > 0 && { agents }), message };
  });
}

/** What several vhosts have in common is one problem, since the first of them had it. */
function shared(found: readonly Dated[]): ProblemView[] {
  const groups = Map.groupBy(found, (one) =>
    one.cause === undefined ? one : JSON.stringify([one.code, one.level, one.cause, one.agents]),
  );
  return [...groups.values()].flatMap((same) => {
    const [first] = same.toSorted(worstFirst);
    if (!first) return [];
    const { cause: _, vhost, ...problem } = first;
    const vhosts = same.flatMap((one) => one.vhost ?? []).toSorted(byDomain);
    if (vhosts.length < 2) return { ...problem, ...(vhost && { vhost }) };
    const names = listed(vhosts.map(({ domain }) => domain));
    return { ...problem, vhosts, message: `${sentence(problem.message)} Sites: ${names}.` };
  });
}
