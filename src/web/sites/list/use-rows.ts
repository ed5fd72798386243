/** Loads what the list shows of all sites, and searches and sorts it. */
import { useMemo } from 'preact/hooks';
import { get } from '../../lib/api.ts';
import { useHub, usePublishes } from '../../lib/hub.ts';
import type { Policy, Vhost, VhostStrips } from '../../lib/types.ts';
import { type Loaded, useLoad } from '../../lib/use-load.ts';
import { useStrips } from '../../parts/strip.tsx';
import { type Outages, outagesIn, reportedProblems, type SiteProblem } from '../problem.ts';
import { useStates } from '../use-states.ts';
import { isShown, type SiteFilter, searchRows } from './filter.ts';
import { type Row, rowOf, sortRows } from './rows.ts';

type Rows = {
  sites: Loaded<Vhost[]>;
  /** Of all sites. */
  all: readonly Row[];
  /** What the search finds, on or off. */
  found: readonly Row[];
  /** What is shown. */
  rows: readonly Row[];
  /** The proxies whose requests are not counted. */
  missing: readonly string[];
};

/** A row that has not changed is the same object as before. */
export function useRows(filter: SiteFilter, span: VhostStrips['span']): Rows {
  const { status } = useHub();
  const { search, shown, tag, policy, agent, source } = filter;
  const { column, isReversed } = filter.order;
  const publishes = usePublishes();
  // A publish, even someone else's, may have changed any site.
  const sites = useLoad(`sites ${publishes}`, (signal) => get<Vhost[]>('/vhosts', signal));
  const guarded = useLoad(`guarded ${policy} ${publishes}`, (signal) => guardedBy(policy, signal));
  const { states, activity, missing } = useStates(publishes);
  const strips = useStrips(span);
  // As a text: the status is a new object every few seconds, but what it reports seldom changes.
  const reported = JSON.stringify([outagesIn(status), [...reportedProblems(status)]]);
  const all = useMemo(() => {
    const [outages, problems]: [Outages, [number, SiteProblem][]] = JSON.parse(reported);
    const facts = { outages, reported: new Map(problems), states, activity, strips };
    return (sites.data ?? []).map((site) => rowOf(site, facts));
  }, [sites.data, reported, states, activity, strips]);
  const sorted = useMemo(() => sortRows(all, { column, isReversed }), [all, column, isReversed]);
  const found = useMemo(
    () => searchRows(sorted, { search, tag, policy, agent, source, guarded: guarded.data }),
    [sorted, search, tag, policy, agent, source, guarded.data],
  );
  return { sites, all, found, rows: found.filter((row) => isShown(row, shown)), missing };
}

/** The ids of the sites to which a policy applies, also one that applies to every site. */
async function guardedBy(name: string, signal: AbortSignal): Promise<number[] | undefined> {
  if (name === '') return undefined;
  const policies = await get<Policy[]>('/policies', signal);
  return policies.find((one) => one.name === name)?.vhosts;
}
