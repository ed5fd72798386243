/** What stands before all sites: global options and snippets. */
import { get } from '../lib/api.ts';
import type { Preamble } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { Notice } from '../parts/notice.tsx';
import { SkeletonRows } from '../parts/skeleton-rows.tsx';
import { PreambleForm } from './preamble-form.tsx';

export function PreamblePage() {
  const { data, error, reload } = useLoad('preamble', (signal) =>
    get<Preamble>('/preamble', signal),
  );
  return (
    <>
      <div class="page-head">
        <h1>Preamble</h1>
      </div>
      <p class="muted">
        Global options and snippets. They stand before all sites in the Caddyfile, and concern each
        of them. The admin endpoint is signalbox’s own.
      </p>
      {error && !data && (
        <Notice kind="error" title={error}>
          <button type="button" onClick={reload}>
            Load again
          </button>
        </Notice>
      )}
      {!data && !error && <SkeletonRows rows={8} label="Loading the preamble" />}
      {data && <PreambleForm loaded={data} />}
    </>
  );
}
