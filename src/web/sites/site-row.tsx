/** A site in the list, with the switch that turns it on and off. */
import { useState } from 'preact/hooks';
import { ApiError, request, wordsOf } from '../lib/api.ts';
import type { Activity, Vhost } from '../lib/types.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { Dialog } from '../parts/dialog.tsx';
import type { SiteProblem } from './problem.ts';
import { Sparkline } from './sparkline.tsx';

type Props = {
  site: Vhost;
  activity: Activity | undefined;
  problem: SiteProblem | null;
  onChanged: (site: Vhost) => void;
};

export function SiteRow({ site, activity, problem, onChanged }: Props) {
  const [isExplained, setExplained] = useState(false);
  const toggle = useSubmit(async () => {
    const { body, etag } = await request<Vhost>(`/vhosts/${site.id}`);
    // If someone else has already switched it, there is nothing left to do.
    const isAsShown = body.enabled === site.enabled;
    const change = { method: 'PATCH', ifMatch: etag } as const;
    onChanged(isAsShown ? (await request<Vhost>(`/vhosts/${site.id}/toggle`, change)).body : body);
  });
  const refusal = toggle.error;

  return (
    <>
      <span class="site-switch">
        <button
          type="button"
          role="switch"
          class="switch"
          aria-checked={site.enabled}
          aria-busy={toggle.busy}
          aria-label={`Serve ${site.domain}`}
          onClick={toggle.run}
        />
      </span>
      <span class="site-name">
        <a href={`/sites/${site.id}`}>{site.domain}</a>
        {refusal === null ? (
          <span class="site-upstream mono">{site.upstream || 'no upstream'}</span>
        ) : (
          <span class="site-refusal" role="alert">
            <span>{site.enabled ? 'Still on: ' : 'Still off: '}</span>
            <span class="site-refusal-words">{wordsOf(refusal)}</span>
            <button type="button" class="link" onClick={() => setExplained(true)}>
              Why?
            </button>
          </span>
        )}
      </span>
      <span class="site-state">
        {problem ? (
          <span class={`tag tag-${problem.level}`} title={problem.text}>
            {problem.label}
          </span>
        ) : (
          <span class={site.enabled ? 'tag tag-plain tag-good' : 'tag tag-plain muted'}>
            {site.enabled ? 'on' : 'off'}
          </span>
        )}
      </span>
      <span class="site-activity">
        <Sparkline activity={activity} />
      </span>
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
    </>
  );
}
