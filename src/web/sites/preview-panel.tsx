/** Shows what the change does to the Caddyfile, or why Caddy would refuse it. */
import { DiffView, diffLines } from '../parts/diff-view.tsx';
import { Hint } from '../parts/hint.tsx';
import { Notice } from '../parts/notice.tsx';
import type { Verdict } from './use-preview.ts';

export function PreviewPanel({ verdict }: { verdict: Verdict }) {
  return (
    <section class="preview-box" aria-label="Preview">
      <h2>Preview</h2>
      {verdict.state === 'idle' && (
        <p class="muted">
          As you type, Caddy checks your changes, and the new lines of the Caddyfile appear here.
          Nothing is saved.
        </p>
      )}
      {verdict.state === 'checking' && <p class="muted">Checking …</p>}
      {verdict.state === 'unchecked' && (
        <Notice kind="warning" title={verdict.message} hint={verdict.hint} />
      )}
      {verdict.state === 'refused' && (
        <div class="notice notice-error" role="status">
          <strong>
            {verdict.line === null
              ? 'This would be refused'
              : `Caddy would refuse line ${verdict.line}`}
          </strong>
          <pre class="proxy-words">{verdict.message}</pre>
          {verdict.hint && <Hint text={verdict.hint} />}
        </div>
      )}
      {verdict.state === 'valid' && (
        <>
          <Notice kind="success">Caddy accepts this.</Notice>
          {verdict.diff === '' ? (
            <p class="muted">The Caddyfile stays the same.</p>
          ) : (
            <DiffView lines={diffLines(verdict.diff)} label="Changes to the Caddyfile" />
          )}
        </>
      )}
    </section>
  );
}
