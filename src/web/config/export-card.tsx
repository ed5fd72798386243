/** All that is configured, to take away. */
import { useState } from 'preact/hooks';
import { get, sentenceOf } from '../lib/api.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Notice } from '../parts/notice.tsx';

export function ExportCard() {
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const show = async () => {
    setError(null);
    try {
      setText(await get<string>('/proxyfile'));
    } catch (reason) {
      setError(sentenceOf(reason));
    }
  };
  return (
    <section class="card" aria-labelledby="export-title">
      <h2 id="export-title">Export</h2>
      <p>
        The <strong>Caddyfile</strong> is what Caddy serves: preamble and all sites that are on. The{' '}
        <strong>snapshot</strong> also holds the sites that are off, and can be restored below.
        Accounts and the changelog are in neither.
      </p>
      <div class="actions start">
        {/* Without an extension browsers would make it Caddyfile.txt. */}
        <a class="button" href="/api/proxyfile" download={`signalbox-${today()}.caddyfile`}>
          Download Caddyfile
        </a>
        <a class="button" href="/api/export" download={`signalbox-${today()}.json`}>
          Download snapshot
        </a>
        <button type="button" aria-expanded={text !== null} onClick={text === null ? show : hide}>
          {text === null ? 'Show Caddyfile' : 'Hide Caddyfile'}
        </button>
        {text !== null && <CopyButton text={text} label="Copy Caddyfile" />}
      </div>
      {error && <Notice kind="error">{error}</Notice>}
      {text !== null && <CodeBlock text={text} label="Caddyfile" />}
    </section>
  );

  function hide() {
    setText(null);
  }
}

const today = () => new Date().toLocaleDateString('sv');
