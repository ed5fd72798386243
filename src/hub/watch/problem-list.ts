/** The problems of all agents: one entry per cause, which says whose proxies it is about. */
import type { AgentFacts } from './agent-facts.ts';
import { type Finding, type Problem, sentence } from './problem.ts';
import { type Facts, keyOf, problemsOf, worstFirst } from './problems/agent.ts';
import { said } from './saying.ts';
import { advisedStates } from './sites/several.ts';

/**
 * @param warnings the hub's own
 * @param how `isOnly`: the hub has no other agent; `hub`: what else is wrong with the hub itself
 */
export type FindProblems = (
  all: readonly AgentFacts[],
  warnings: readonly string[],
  how: { isOnly: boolean; now: Date; hub?: readonly Finding[] },
) => Problem[];

/** It remembers when each problem was found first. */
export function createProblems(): FindProblems {
  /** By agent, and by `keyOf`. */
  let since: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map();
  /** Those of the hub, by `keyOf`. */
  let own: ReadonlyMap<string, string> = new Map();
  let begun: string | undefined;

  function remember(found: readonly { name: string; facts: Facts; problems: Problem[] }[]): void {
    since = new Map(
      found.map(({ name, facts, problems }) => {
        const known = problems.map((problem) => [keyOf(problem), problem.since] as const);
        // Without the agent, nobody knows whether the others are over.
        const before = facts.status === null ? (since.get(name) ?? []) : [];
        return [name, new Map([...before, ...known])];
      }),
    );
  }

  function ofHub(found: readonly Finding[], now: Date): Problem[] {
    const all = found.map((one) => ({
      ...one,
      since: one.since ?? own.get(keyOf(one)) ?? now.toISOString(),
    }));
    own = new Map(all.map((one) => [keyOf(one), one.since]));
    return all;
  }

  return (all, warnings, { isOnly, now, hub = [] }) => {
    const found = factsOf(all, warnings, isOnly).map(({ name, facts }) => ({
      ...{ name, facts },
      problems: problemsOf(facts, since.get(name) ?? new Map()),
    }));
    remember(found);
    const itself = ofHub(hub, now);
    if (isOnly) {
      return [...found.flatMap(({ problems }) => problems), ...itself].toSorted(worstFirst);
    }
    begun ??= now.toISOString();
    const hubs = warnings.map((one): Problem => {
      const at = begun ?? '';
      return { code: 'WARNING', level: 'warn', since: at, message: sentence(one) };
    });
    return [...together(found), ...itself, ...hubs].toSorted(worstFirst);
  };
}

/** What the problems of each agent follow from, in their order. @param hubs the hub's own warnings */
export function factsOf(
  all: readonly AgentFacts[],
  hubs: readonly string[],
  isOnly: boolean,
): { name: string; facts: Facts }[] {
  if (isOnly) {
    return all.map(({ name, states, facts }) => ({
      name,
      facts: { ...facts, sites: states, warnings: [...hubs, ...facts.warnings] },
    }));
  }
  const advised = advisedStates(all.map(({ name, states }) => ({ name, states: states ?? [] })));
  return all.map(({ name, facts }, i) => ({
    name,
    facts: { ...facts, sites: advised[i]?.states ?? null },
  }));
}

/** What several agents have in common is one problem, since the first of them had it. */
function together(found: readonly { name: string; problems: readonly Problem[] }[]): Problem[] {
  const all = found.flatMap(({ name, problems }) => problems.map((problem) => ({ name, problem })));
  const groups = Map.groupBy(all, ({ problem: { code, level, vhost, message } }) =>
    JSON.stringify([code, level, vhost?.id, message]),
  );
  return [...groups.values()].flatMap((same) => {
    const agents = same.map(({ name }) => name);
    const [first] = same.map(({ problem }) => problem).toSorted(worstFirst);
    return first
      ? { ...first, agents, message: said({ names: agents, message: first.message }) }
      : [];
  });
}
