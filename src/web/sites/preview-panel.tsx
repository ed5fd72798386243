/** What the change would do to the Caddyfile, or why the proxy would not take it. */
import { DiffView, diffLines } from '../parts/diff-view.tsx';
import { Notice } from '../parts/notice.tsx';
import type { Verdict } from './use-preview.ts';

export function PreviewPanel({ verdict }: { verdict: Verdict }) {
  return (
    <section class="preview-box" aria-label="Preview">
      <h2>Preview</h2>
      {verdict.state === 'idle' && (
        <p class="muted">
          As you type, Caddy is asked whether it would take this, and what would change in the
          Caddyfile is shown here. Nothing is stored.
        </p>
      )}
      {verdict.state === 'asking' && <p class="muted">Asking Caddy …</p>}
      {verdict.state === 'unasked' && <Notice kind="warning" title={verdict.message} />}
      {verdict.state === 'refused' && (
        <div class="notice notice-error" role="status">
          <strong>
            {verdict.line === null
              ? 'This would be refused'
              : `Caddy would refuse line ${verdict.line}`}
          </strong>
          <pre class="proxy-words">{verdict.message}</pre>
        </div>
      )}
      {verdict.state === 'valid' && (
        <>
          <Notice kind="success">Caddy would take this.</Notice>
          {verdict.diff === '' ? (
            <p class="muted">The Caddyfile stays as it is.</p>
          ) : (
            <DiffView lines={diffLines(verdict.diff)} label="Changes to the Caddyfile" />
          )}
        </>
      )}
    </section>
  );
}
