/** A site in the list: its figures and state, and the switch that turns it on and off. */
import { useId, useState } from 'preact/hooks';
import { ApiError, request, wordsOf } from '../../lib/api.ts';
import type { Vhost } from '../../lib/types.ts';
import { useSubmit } from '../../lib/use-form.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { hasLabels, SiteLabels } from '../labels.tsx';
import type { Row } from './rows.ts';
import { SiteFigures } from './site-figures.tsx';

const CELL = { role: 'cell' } as const;

type Props = {
  row: Row;
  layout: 'columns' | 'stacked';
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
  onChanged: (site: Vhost) => void;
};

export function SiteRow({ row, layout, isSelected, onSelect, onChanged }: Props) {
  const { site, health, link } = row;
  const id = useId();
  const [isExplained, setExplained] = useState(false);
  const toggle = useSubmit(async () => {
    const { body, etag } = await request<Vhost>(`/vhosts/${site.id}`);
    // If someone else has already switched it, there is nothing left to do.
    const isAsShown = body.enabled === site.enabled;
    const change = { method: 'PATCH', ifMatch: etag } as const;
    onChanged(isAsShown ? (await request<Vhost>(`/vhosts/${site.id}/toggle`, change)).body : body);
  });
  const refusal = toggle.error;
  const hasReason = refusal !== null || health.text !== '';

  return (
    <>
      <td {...CELL} class="site-pick">
        <label class="line">
          <input
            type="checkbox"
            aria-label={`Select ${site.domain}`}
            checked={isSelected}
            onChange={(event) => onSelect(event.currentTarget.checked)}
          />
        </label>
      </td>
      <td {...CELL} class="site-switch">
        <button
          type="button"
          role="switch"
          class="switch"
          aria-checked={site.enabled}
          aria-busy={toggle.busy}
          aria-label={`Serve ${site.domain}`}
          onClick={toggle.run}
        />
      </td>
      <td {...CELL} class="site-site">
        <a id={id} class="block cut strong" href={`/sites/${site.id}`} title={site.domain}>
          {site.domain}
        </a>
      </td>
      {(layout === 'columns' || !hasReason) && (
        <td {...CELL} class="site-upstream mono tiny muted cut" title={site.upstream}>
          {site.upstream || <span class="muted">no upstream</span>}
        </td>
      )}
      <SiteFigures row={row} layout={layout} />
      <td {...CELL} class="site-state">
        <span class={`health muted health-${health.level}`}>
          <Icon name={health.level} />
          {health.label}
        </span>
        {refusal === null && health.text && (
          <span class="site-reason tiny muted cut" title={health.text}>
            {health.text}
          </span>
        )}
        {refusal !== null && (
          <span class="site-reason site-refusal tiny cut" role="alert">
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
        <a
          href={`/sites/new?from=${site.id}`}
          title="New from this"
          aria-label="New from this"
          aria-describedby={id}
        >
          <Icon name="copy" />
        </a>
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
