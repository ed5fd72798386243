/** The list of all problems: one entry per cause, worst first, which says whose proxies it is about. */

import type { Saying } from '../model/known-changes.ts';
import { byDomain } from '../model/vhost.ts';
import type { AgentFacts } from './agent-facts.ts';
import type { Look } from './look.ts';
import {
  HUB_PLACE,
  incidentKey,
  isOwn,
  keyOf,
  listed,
  markOf,
  type Problem,
  type ProblemView,
  placeOf,
  said,
  sentence,
  subjectOf,
  worstFirst,
} from './problem.ts';
import { problemsOf } from './problems/agent.ts';
import { advisedStates } from './sites/several.ts';

/** Since when each problem is there, by `keyOf`. */
type Since = ReadonlyMap<string, string>;

/** What it is, one for each place it was found at: `marks` as `markOf` has them, `incidents` as `incidentKey` does. */
type Names = { marks: readonly string[]; incidents: readonly string[] };

export type Listed = ProblemView & Names;

type Dated = Omit<Listed, 'key'> & Pick<Problem, 'cause'>;

/** When each open incident began, by `incidentKey`. */
export type Beginnings = ReadonlyMap<string, Date>;

export type ListProblems = (look: Pick<Look, 'agents' | 'hub'>, now: Date) => Listed[];

/** What is known of problems that were found before: when the incidents began that they are, and who knows of them. */
type Told = {
  beginnings: () => Beginnings;
  known: () => ReadonlyMap<string, Saying>;
};

const NOTHING: Told = { beginnings: () => new Map(), known: () => new Map() };

/** @returns a function that lists them, and remembers when those were found first that are no incidents */
export function createProblemList({ beginnings, known: readKnown } = NOTHING): ListProblems {
  /** By agent. */
  let known: ReadonlyMap<string, Since> = new Map();
  let ofHub: Since = new Map();

  return ({ agents, hub }, now) => {
    const problems = problemsOfEach(agents);
    const began = beginnings();
    const marks = readKnown();
    const found = agents.map(({ id, name, label, status, now: time }, i) => {
      const before: Since = known.get(name) ?? new Map();
      const place = placeOf(id);
      const all = dated(problems[i] ?? [], sinceIn(before, began, place, time), (one) =>
        namedIn(one, place, marks),
      );
      return { name, label, status, before, all };
    });
    known = new Map(
      found.map(({ name, status, before, all }) => [
        name,
        // Without the agent, nobody knows whether the others are over.
        new Map([...(status === null ? before : []), ...sinceOf(all)]),
      ]),
    );
    const own = dated(hub, sinceIn(ofHub, began, HUB_PLACE, now.toISOString()), (one) =>
      namedIn(one, HUB_PLACE, marks),
    );
    ofHub = sinceOf(own);
    return [...shared(together(found)), ...own].map(keyed).toSorted(worstFirst);
  };
}

/** The problems of each agent, in their order. */
export function problemsOfEach(agents: readonly AgentFacts[]): Problem[][] {
  const advised = advisedStates(agents.map(({ name, sites }) => ({ name, states: sites ?? [] })));
  return agents.map((facts, i) => problemsOf({ ...facts, sites: advised[i]?.states ?? null }));
}

/** Tells since when a problem is there, that was found at a place. */
const sinceIn =
  (before: Since, began: Beginnings, place: string, now: string) =>
  (one: Problem): string => {
    const incident = subjectOf(one, place);
    const since = incident && began.get(incidentKey(incident));
    return since?.toISOString() ?? one.since ?? before.get(keyOf(one)) ?? now;
  };

/** Which one it is, and who knows of it. */
function namedIn(one: Problem, place: string, all: ReadonlyMap<string, Saying>) {
  const mark = markOf(one, place);
  const known = all.get(mark);
  const incident = subjectOf(one, place);
  return {
    marks: [mark],
    incidents: incident ? [incidentKey(incident)] : [],
    ...(known && { known }),
  };
}

/** In an address, and the same after a restart. */
const keyed = ({ ...one }: Omit<Listed, 'key'>): Listed => ({
  key: new Bun.CryptoHasher('sha256').update(one.marks.join('\n')).digest('hex').slice(0, 16),
  ...one,
});

/** With when each began, worst first. */
export const dated = (
  found: readonly Problem[],
  since: (one: Problem) => string,
  named: (one: Problem) => Names & Pick<Listed, 'known'>,
): Dated[] =>
  found
    .map((one) => {
      const { code, level, vhost, message, cause } = one;
      const known = { code, level, since: since(one), message, ...named(one) };
      return { ...known, ...(vhost && { vhost }), ...(cause !== undefined && { cause }) };
    })
    .toSorted(worstFirst);

const sinceOf = (all: readonly Dated[]): Since =>
  new Map(all.map((one) => [keyOf(one), one.since]));

/** What several agents have in common is one problem, since the first of them had it. */
function together(found: readonly { label: string | undefined; all: readonly Dated[] }[]): Dated[] {
  const each = found.flatMap(({ label, all }) => all.map((problem) => ({ label, problem })));
  const groups = Map.groupBy(each, ({ label, problem }) => {
    const { code, level, vhost, message, known } = problem;
    return JSON.stringify([code, level, vhost?.id, message, known, isOwn(problem) && label]);
  });
  return [...groups.values()].flatMap((same) => {
    const labels = same.map(({ label }) => label);
    const agents = labels.flatMap((label) => label ?? []);
    const [first] = same.map(({ problem }) => problem).toSorted(worstFirst);
    if (!first) return [];
    const message = said(labels, first.message);
    const names = namesOf(same.map(({ problem }) => problem));
    return { ...first, ...names, ...(agents.length > 0 && { agents }), message };
  });
}

const namesOf = (all: readonly Dated[]): Names => ({
  marks: [...new Set(all.flatMap(({ marks }) => marks))].toSorted(),
  incidents: all.flatMap(({ incidents }) => incidents),
});

/** What several vhosts have in common is one problem, since the first of them had it. */
function shared(found: readonly Dated[]): Omit<Listed, 'key'>[] {
  const groups = Map.groupBy(found, (one) =>
    one.cause === undefined
      ? one
      : JSON.stringify([one.code, one.level, one.cause, one.agents, one.known]),
  );
  return [...groups.values()].flatMap((same) => {
    const [first] = same.toSorted(worstFirst);
    if (!first) return [];
    const { cause: _, vhost, ...problem } = first;
    const vhosts = same.flatMap((one) => one.vhost ?? []).toSorted(byDomain);
    if (vhosts.length < 2) return { ...problem, ...(vhost && { vhost }) };
    const names = listed(vhosts.map(({ domain }) => domain));
    return {
      ...problem,
      vhosts,
      ...namesOf(same),
      message: `${sentence(problem.message)} Sites: ${names}.`,
    };
  });
}
