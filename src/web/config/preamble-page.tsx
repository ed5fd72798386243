/** The page that edits the preamble: the Caddyfile's global options and snippets. */
import { read } from '../lib/api.ts';
import type { Preamble } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { SkeletonRows } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { PreambleForm } from './preamble-form.tsx';

export function PreamblePage() {
  const { data, error, reload } = useLoad('preamble', (signal) =>
    read<Preamble>('/preamble', signal),
  );
  return (
    <>
      <h1 class="page-head">Caddy options</h1>
      <p class="muted">
        The global options and snippets at the head of the Caddyfile. They affect all sites.
      </p>
      {error && !data && (
        <Notice kind="error" title={error}>
          <button type="button" onClick={reload}>
            Try again
          </button>
        </Notice>
      )}
      {!data && !error && <SkeletonRows rows={8} label="Loading the Caddy options" />}
      {data && <PreambleForm loaded={data} />}
    </>
  );
}
