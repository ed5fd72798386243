/** What has changed since a moment, and the way back to it. */
import { useState } from 'preact/hooks';
import { get } from '../../../web/lib/api.ts';
import { usePublishes } from '../../../web/lib/hub.ts';
import type { Vhost } from '../../../web/lib/types.ts';
import { useLoad } from '../../../web/lib/use-load.ts';
import { DiffView, diffLines } from '../../../web/parts/diff-view.tsx';
import { Notice } from '../../../web/parts/notice.tsx';
import type { Difference } from '../differences.ts';
import { BackDialog } from './back-dialog.tsx';
import { Changes } from './changes.tsx';
import { settled } from './settled.ts';

type Props = {
  /** ISO 8601. */
  at: string;
  /** The only one that it is about, with its policies and the options of Caddy. */
  site?: Vhost | undefined;
  /** Called after the way back, with what was done and the group of the changes in the changelog. */
  onDone: (done: { words: string; group: number | null }) => Promise<void>;
};

type Answer = { changes: Difference[]; diff: string };

export function Since({ at, site, onDone }: Props) {
  const key = `${at} ${usePublishes()}`;
  const { data, error } = useLoad(key, async (signal) => {
    await settled(signal);
    const path = `/history/diff?at=${encodeURIComponent(at)}`;
    return { of: key, ...(await get<Answer>(path, signal)) };
  });
  const [isAsking, setAsking] = useState(false);
  if (error) return <Notice kind="error" title={error} />;
  const isStale = data?.of !== key;
  const changes = (data?.changes ?? []).filter((one) => !site || concerns(one, site));
  const sites = changes.filter(({ kind, op }) => kind === 'site' && op !== 'create');
  return (
    <div class={isStale ? 'stale stack' : 'stack'} aria-busy={isStale} role="status">
      {data && (
        <>
          <div class="small">
            {changes.length === 0 ? 'Nothing has changed since.' : 'Since then:'}
            <Changes of={changes} as="since" />
          </div>
          {!site && data.diff !== '' && (
            <details class="small">
              <summary>Changes to the Caddyfile</summary>
              <DiffView lines={diffLines(data.diff)} label="Changes to the Caddyfile" />
            </details>
          )}
          {(site ? sites : changes).length > 0 && (
            <div>
              <button type="button" disabled={isStale} onClick={() => setAsking(true)}>
                Back to here …
              </button>
            </div>
          )}
        </>
      )}
      {isAsking && (
        <BackDialog
          at={at}
          sites={sites}
          isOfSite={site !== undefined}
          onDone={async (done) => {
            setAsking(false);
            await onDone(done);
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

/** Whether a difference can change how a site answers. */
const concerns = ({ kind, id, name }: Difference, site: Vhost): boolean =>
  kind === 'options' ||
  (kind === 'site' && id === site.id) ||
  (kind === 'policy' && site.policies.includes(name));
