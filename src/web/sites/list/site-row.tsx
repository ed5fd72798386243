/** A site in the list: its state, names and labels, how it was, its requests, and a menu of what can be done. */
import { count, duration, plural } from '../../lib/format.ts';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { SiteIcon } from '../../parts/site-icon.tsx';
import { Strip } from '../../parts/strip.tsx';
import { Tick } from '../../parts/tick.tsx';
import { SiteLabels, withBreaks } from '../labels.tsx';
import type { Action } from './actions.tsx';
import { furtherNames } from './filter.ts';
import type { Row } from './rows.ts';

const CELL = { role: 'cell' } as const;

type Props = {
  row: Row;
  /** Why it is not well, unless that is said elsewhere. */
  reason: string;
  /** The search that found it. */
  search: string;
  canEdit: boolean;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
  onAct: (action: Action) => void;
};

export function SiteRow({ row, reason, search, canEdit, isSelected, onSelect, onAct }: Props) {
  const { site, health, upstreams, strip, p95 } = row;
  const further = furtherNames(site, search);
  const upstream = upstreams?.join(', ');
  const { domain } = site;
  const name = domain.replace(/^http:\/\//, '');
  return (
    <>
      {canEdit && (
        <td {...CELL} class="site-pick">
          <Tick label={`Select ${site.domain}`} checked={isSelected} onTick={onSelect} />
        </td>
      )}
      <td {...CELL} class="site-state line">
        <span
          class={`lamp lamp-${health.level}`}
          role="img"
          aria-label={health.label}
          title={health.label}
        />
        <SiteIcon site={site} size={24} />
      </td>
      <td {...CELL} class="site-site line baseline">
        <a
          class={name === domain ? 'name' : 'name http'}
          href={`/sites/${site.id}`}
          aria-label={domain}
          title={domain}
        >
          {withBreaks(name)}
        </a>
        {further && (
          <span class="cut tiny muted" title={site.addresses.join(', ')}>
            {further}
          </span>
        )}
        {health.level !== 'good' && reason === '' && (
          <span class={`small nowrap health-${health.level}`} title={health.text}>
            {health.label}
          </span>
        )}
        {reason !== '' && (
          <span class="site-reason tiny" title={reason}>
            <strong class={`health-${health.level}`}>{health.label}</strong> {reason}
          </span>
        )}
      </td>
      <td {...CELL} class="site-upstream line">
        <span class="mono tiny muted cut" title={upstream}>
          {upstream === '' ? 'no upstream' : upstream}
        </span>
        <span class="site-labels line">
          <SiteLabels site={site} />
        </span>
      </td>
      <td {...CELL} class="site-history">
        {strip && <Strip {...strip} />}
      </td>
      <td {...CELL} class="site-requests line tiny numeric nowrap">
        <Requests row={row} />
      </td>
      <td {...CELL} class="site-latency tiny numeric muted">
        {p95 === null ? <span class="visually-hidden">no requests</span> : duration(p95)}
      </td>
      <td {...CELL} class="site-menu">
        <Menu label={`Actions of ${site.domain}`} items={itemsOf(row, canEdit, onAct)} />
      </td>
    </>
  );
}

function Requests({ row: { requests, errors, rejected } }: Pick<Props, 'row'>) {
  const words = `${plural(requests, 'request')}, ${plural(errors, 'error')} (5xx), ${count(rejected)} rejected (4xx) in the last hour`;
  return (
    <span class="line" role="img" aria-label={words} title={words}>
      <span class="muted">{requests > 0 && count(requests)}</span>
      {errors > 0 && <strong class="bad">{plural(errors, 'error')}</strong>}
    </span>
  );
}

/** What can be done with a site, by those who may. */
function itemsOf({ site, link }: Row, canEdit: boolean, act: Props['onAct']): MenuItem[] {
  const { id, enabled } = site;
  const open: MenuItem[] = link === null ? [] : [{ title: 'Open', to: link, isAway: true }];
  const log: MenuItem = { title: 'Log', to: `/sites/${id}/log` };
  if (!canEdit) return [...open, log];
  return [
    ...open,
    { title: 'Edit', to: `/sites/${id}/edit` },
    log,
    { title: enabled ? 'Turn off' : 'Turn on', act: () => act(enabled ? 'off' : 'on') },
    { title: 'Copy', to: `/sites/new?from=${id}` },
    { title: 'Delete …', act: () => act('delete'), isDanger: true },
  ];
}
