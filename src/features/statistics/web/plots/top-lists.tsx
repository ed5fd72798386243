/** The most frequent values in the time range; clicking one filters by it. */
import { count } from '../../../../web/lib/format.ts';
import type { LogStats } from '../../../../web/lib/types.ts';
import { filterBy } from '../../../../web/logs/filter/chips.tsx';
import { accepted, type FilterKey, PATH_FILTER } from '../../../../web/logs/filter/filters.ts';
import { classOf, cut, StatusMark, shown } from '../../../../web/logs/values.tsx';
import { amount } from './plot-data.ts';

/** The share of the lines that were read, as `from 1 in 20 lines`; empty if all were. */
export function shareOf({ sampled }: Pick<LogStats, 'sampled'>): string {
  if (!sampled) return '';
  const shares = Object.entries(sampled.agents ?? {});
  const named = shares.map(([agent, of]) => `1 in ${of.toLocaleString('en')} lines of ${agent}`);
  return `from ${named.join(' and ') || `1 in ${sampled.of.toLocaleString('en')} lines`}`;
}

export function TopLists({ stats }: { stats: LogStats }) {
  const { domains, statuses, latest } = stats;
  const of = latest.partial ? ` of the newest ${count(latest.requests)}` : '';
  return (
    <div class="log-top columns">
      <List title="Domains" filter="domain" rows={domains} stats={stats} />
      <List title="Statuses" filter="status" rows={statuses} stats={stats} />
      <List title={`Paths${of}`} filter="path" rows={latest.paths} stats={stats} />
      <List title={`IP addresses${of}`} filter="ip" rows={latest.ips} stats={stats} />
      <List title={`User agents${of}`} filter="userAgent" rows={latest.userAgents} stats={stats} />
    </div>
  );
}

const MAX_SHOWN = 10;

type ListProps<Filter extends FilterKey> = {
  title: string;
  filter: Filter;
  rows: readonly ({ requests: number } & Record<Filter, string | number>)[];
  stats: LogStats;
};

function List<Filter extends FilterKey>({ title, filter, rows, stats }: ListProps<Filter>) {
  return (
    <div>
      <h3 class="tiny muted">{title}</h3>
      <ol class="plain">
        {rows.slice(0, MAX_SHOWN).map((row, at) => {
          const value = String(row[filter]);
          const normal = accepted(filter, cut(value, PATH_FILTER));
          return (
            <li key={at} class="line between top">
              <button
                type="button"
                class="log-value"
                dir="ltr"
                disabled={!normal}
                onClick={() => normal && filterBy({ [filter]: normal })}
              >
                {filter === 'status' && <StatusMark name={classOf(Number(value))} />}
                {shown(value, 80) || 'none'}
              </button>
              <span class="nowrap muted">{amount(row.requests, stats)}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
