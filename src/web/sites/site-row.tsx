/** One site in the list, and its switch. */
import { useState } from 'preact/hooks';
import { ApiError, request, wordsOf } from '../lib/api.ts';
import type { Activity, Vhost } from '../lib/types.ts';
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
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [told, setTold] = useState(false);

  const toggle = async () => {
    if (busy) return;
    setBusy(true);
    setRefusal(null);
    try {
      const { body, etag } = await request<Vhost>(`/vhosts/${site.id}`);
      // Somebody else may have done it meanwhile: then it is as it was wanted.
      const isAsShown = body.enabled === site.enabled;
      const toggle = { method: 'PATCH', ifMatch: etag } as const;
      onChanged(
        isAsShown ? (await request<Vhost>(`/vhosts/${site.id}/toggle`, toggle)).body : body,
      );
    } catch (reason) {
      setRefusal(reason);
    }
    setBusy(false);
  };

  return (
    <>
      <span class="site-switch">
        <button
          type="button"
          role="switch"
          class="switch"
          aria-checked={site.enabled}
          aria-busy={busy}
          aria-label={`${site.domain} is served`}
          onClick={toggle}
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
            <button type="button" class="link" onClick={() => setTold(true)}>
              Why
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
      {told && (
        <Dialog title={`${site.domain} was left as it is`} onClose={() => setTold(false)}>
          <p>{refusal instanceof Error ? refusal.message : ''}</p>
          {refusal instanceof ApiError && refusal.detail && (
            <pre class="proxy-words">{refusal.detail}</pre>
          )}
          <div class="actions">
            <a class="button" href={`/sites/${site.id}`}>
              Edit the site
            </a>
            <button type="button" onClick={() => setTold(false)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
