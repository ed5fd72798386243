/** A site in the list: its figures and state, and the switch that turns it on and off. */
import { useId, useState } from 'preact/hooks';
import { ApiError, wordsOf } from '../../lib/api.ts';
import { toggle as toggleSite } from '../../lib/relabel.ts';
import type { Vhost } from '../../lib/types.ts';
import { useSubmit } from '../../lib/use-form.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { hasLabels, SiteLabels, withBreaks } from '../labels.tsx';
import { furtherNames } from './filter.ts';
import type { Row } from './rows.ts';
import type { Done } from './selection-bar.tsx';
import { SiteFigures } from './site-figures.tsx';

const CELL = { role: 'cell' } as const;

type Props = {
  row: Row;
  layout: 'columns' | 'stacked';
  /** The search that found it. */
  search: string;
  canEdit: boolean;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
  /** Called with the site as it is then; `done` is null if somebody else has already switched it. */
  onToggled: (site: Vhost, done: Done | null) => void;
};

export function SiteRow(props: Props) {
  const { row, layout, search, canEdit, isSelected, onSelect, onToggled } = props;
  const { site, health, upstreams, link } = row;
  const further = furtherNames(site, search);
  const id = useId();
  const [isExplained, setExplained] = useState(false);
  const toggle = useSubmit(async () => {
    const { site: now, group } = await toggleSite(site);
    const words = `${now.domain} turned ${now.enabled ? 'on' : 'off'}`;
    onToggled(now, group === null ? null : { words, group });
  });
  const refusal = toggle.error;
  const hasReason = refusal !== null || health.text !== '';

  return (
    <>
      <td {...CELL} class="site-pick">
        {canEdit && (
          <label class="line">
            <input
              type="checkbox"
              aria-label={`Select ${site.domain}`}
              checked={isSelected}
              onChange={(event) => onSelect(event.currentTarget.checked)}
            />
          </label>
        )}
      </td>
      <td {...CELL} class="site-switch">
        {canEdit && (
          <button
            type="button"
            role="switch"
            class="switch"
            aria-checked={site.enabled}
            aria-busy={toggle.busy}
            aria-label={`Serve ${site.domain}`}
            onClick={toggle.run}
          />
        )}
      </td>
      <td {...CELL} class="site-site line baseline">
        <a id={id} class="name block cut" href={`/sites/${site.id}`} title={site.domain}>
          {layout === 'stacked' ? withBreaks(site.domain) : site.domain}
        </a>
        {further && (
          <span class="cut tiny muted" title={site.addresses.join(', ')}>
            {further}
          </span>
        )}
      </td>
      {layout === 'columns' && (
        <td {...CELL} class="mono tiny muted cut" title={upstreams?.join(', ')}>
          {upstreams?.length === 0 ? <span class="muted">no upstream</span> : upstreams?.join(', ')}
        </td>
      )}
      {(layout === 'columns' || !hasReason) && <SiteFigures row={row} layout={layout} />}
      <td {...CELL} class="site-state">
        <span class={`health small cut muted health-${health.level}`} title={health.label}>
          <Icon name={health.level} /> {health.label}
        </span>
        {refusal === null && health.text && (
          <span class="site-reason tiny muted cut" title={health.text}>
            {health.text}
          </span>
        )}
        {refusal !== null && (
          <span class="site-reason line baseline bad tiny" role="alert">
            <span>{site.enabled ? 'Still on: ' : 'Still off: '}</span>
            <span class="cut">{wordsOf(refusal)}</span>
            <button type="button" class="link" onClick={() => setExplained(true)}>
              Why?
            </button>
          </span>
        )}
      </td>
      {hasLabels(site) && (
        <td {...CELL} class="site-labels line">
          <SiteLabels site={site} />
        </td>
      )}
      <td {...CELL} class="site-links">
        {link && (
          <a
            href={link}
            target="_blank"
            rel="noreferrer"
            title={`Open ${link}`}
            aria-label="Open in a new tab"
            aria-describedby={id}
          >
            <Icon name="open" />
          </a>
        )}
        {canEdit && layout === 'columns' && (
          <a
            href={`/sites/new?from=${site.id}`}
            title="New from this"
            aria-label="New from this"
            aria-describedby={id}
          >
            <Icon name="copy" />
          </a>
        )}
        {isExplained && (
          <Dialog title={`${site.domain} was not changed`} onClose={() => setExplained(false)}>
            <p>{refusal instanceof Error ? refusal.message : ''}</p>
            {refusal instanceof ApiError && refusal.detail && (
              <pre class="proxy-words">{refusal.detail}</pre>
            )}
            <div class="actions">
              <a class="button" href={`/sites/${site.id}`}>
                Edit site
              </a>
              <button type="button" onClick={() => setExplained(false)}>
                Close
              </button>
            </div>
          </Dialog>
        )}
      </td>
    </>
  );
}
