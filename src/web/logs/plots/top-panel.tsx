/** The most frequent values in the time range; clicking one filters by it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../../lib/format.ts';
import type { LogStats } from '../../lib/types.ts';
import { filterBy } from '../filter/chips.tsx';
import { accepted, type FilterKey, PATH_FILTER } from '../filter/filters.ts';
import { classOf, cut, StatusMark, shown } from '../values.tsx';

export function TopPanel({ stats }: { stats: LogStats | undefined }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="log-top small" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Most frequent values</summary>
      {isOpen && stats && <Lists stats={stats} />}
    </details>
  );
}

function Lists({ stats: { domains, statuses, latest } }: { stats: LogStats }) {
  const of = latest.partial ? ` of the newest ${count(latest.requests)}` : '';
  return (
    <div class="log-top-lists">
      <List title="Domains" filter="domain">
        {domains.map(({ domain, requests }) => ({ value: domain, requests }))}
      </List>
      <List
        title="Statuses"
        filter="status"
        sign={(value) => <StatusMark name={classOf(Number(value))} />}
      >
        {statuses.map(({ status, requests }) => ({ value: String(status), requests }))}
      </List>
      <List title={`Paths${of}`} filter="path">
        {latest.paths.map(({ path, requests }) => ({ value: path, requests }))}
      </List>
      <List title={`IP addresses${of}`} filter="ip">
        {latest.ips.map(({ ip, requests }) => ({ value: ip, requests }))}
      </List>
    </div>
  );
}

const MAX_SHOWN = 10;

type ListProps = {
  title: string;
  filter: FilterKey;
  sign?: (value: string) => ComponentChildren;
  children: { value: string; requests: number }[];
};

function List({ title, filter, sign, children }: ListProps) {
  return (
    <div>
      <h3 class="tiny muted">{title}</h3>
      <ol class="plain">
        {children.slice(0, MAX_SHOWN).map(({ value, requests }, at) => {
          const normal = accepted(filter, cut(value, PATH_FILTER));
          return (
            <li key={at}>
              <button
                type="button"
                class="log-value"
                disabled={!normal}
                onClick={() => normal && filterBy({ [filter]: normal })}
              >
                {sign?.(value)}
                {shown(value, 80) || 'none'}
              </button>
              <span class="muted">{count(requests)}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
