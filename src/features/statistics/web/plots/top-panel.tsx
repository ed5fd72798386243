/** The most frequent values in the time range; clicking one filters by it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
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

export function TopPanel({ stats }: { stats: LogStats | undefined }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="log-top small" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="muted">Most frequent values{stats?.sampled && `, ${shareOf(stats)}`}</summary>
      {isOpen && stats && <Lists stats={stats} />}
    </details>
  );
}

function Lists({ stats }: { stats: LogStats }) {
  const { domains, statuses, latest } = stats;
  const amountOf = (requests: number) => amount(requests, stats);
  const of = latest.partial ? ` of the newest ${count(latest.requests)}` : '';
  return (
    <div class="columns">
      <List title="Domains" filter="domain" amountOf={amountOf}>
        {domains.map(({ domain, requests }) => ({ value: domain, requests }))}
      </List>
      <List
        title="Statuses"
        filter="status"
        amountOf={amountOf}
        sign={(value) => <StatusMark name={classOf(Number(value))} />}
      >
        {statuses.map(({ status, requests }) => ({ value: String(status), requests }))}
      </List>
      <List title={`Paths${of}`} filter="path" amountOf={amountOf}>
        {latest.paths.map(({ path, requests }) => ({ value: path, requests }))}
      </List>
      <List title={`IP addresses${of}`} filter="ip" amountOf={amountOf}>
        {latest.ips.map(({ ip, requests }) => ({ value: ip, requests }))}
      </List>
      <List title={`User agents${of}`} filter="userAgent" amountOf={amountOf}>
        {latest.userAgents.map(({ userAgent, requests }) => ({ value: userAgent, requests }))}
      </List>
    </div>
  );
}

const MAX_SHOWN = 10;

type ListProps = {
  title: string;
  filter: FilterKey;
  amountOf: (requests: number) => string;
  sign?: (value: string) => ComponentChildren;
  children: { value: string; requests: number }[];
};

function List({ title, filter, amountOf, sign, children }: ListProps) {
  return (
    <div>
      <h3 class="tiny muted">{title}</h3>
      <ol class="plain">
        {children.slice(0, MAX_SHOWN).map(({ value, requests }, at) => {
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
                {sign?.(value)}
                {shown(value, 80) || 'none'}
              </button>
              <span class="nowrap muted">{amountOf(requests)}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
