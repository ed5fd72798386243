/** Downloads the configuration as a Caddyfile or a snapshot. */
import { useState } from 'preact/hooks';
import { get, sentenceOf } from '../lib/api.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Notice } from '../parts/notice.tsx';

export function ExportCard() {
  const [text, setText] = useState<string | null>(null);
  const { error, run: show } = useSubmit(async () => setText(await get<string>('/proxyfile')));
  return (
    <section class="card" aria-labelledby="export-title">
      <h2 id="export-title">Export</h2>
      <p>
        The <strong>Caddyfile</strong> is what Caddy serves: the preamble and all sites that are on.
        The <strong>snapshot</strong> also contains the sites that are off, policies and tags, and
        you can restore it below. Both contain the hashes of the passwords in policies; neither
        contains accounts or the changelog.
      </p>
      <div class="actions start">
        {/* Browsers would add .txt to a name without an extension. */}
        <a class="button" href="/api/proxyfile" download={`signalbox-${today()}.caddyfile`}>
          Download Caddyfile
        </a>
        <a class="button" href="/api/export" download={`signalbox-${today()}.json`}>
          Download snapshot
        </a>
        <button
          type="button"
          aria-expanded={text !== null}
          onClick={() => (text === null ? show() : setText(null))}
        >
          {text === null ? 'Show Caddyfile' : 'Hide Caddyfile'}
        </button>
        {text !== null && <CopyButton text={text} label="Copy Caddyfile" />}
      </div>
      {error !== null && <Notice kind="error">{sentenceOf(error)}</Notice>}
      {text !== null && <CodeBlock text={text} label="Caddyfile" />}
    </section>
  );
}

/** The local date, `2026-11-21`. */
const today = () => new Date().toLocaleDateString('sv');
