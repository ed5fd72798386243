/** A Caddyfile becomes preamble and sites: first told, then done. */
import { useState } from 'preact/hooks';
import { ApiError, get, send, sentenceOf } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import { useLeaveGuard } from '../lib/router.ts';
import type { ImportAnswer, Preamble, Vhost } from '../lib/types.ts';
import { CodeEditor } from '../parts/code-editor.tsx';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { DropArea } from './drop-area.tsx';
import { type Plan, PlanView } from './plan-view.tsx';

export function ImportCard() {
  const hub = useHub();
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [plan, setPlan] = useState<Plan | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [imported, setImported] = useState<ImportAnswer | null>(null);
  useLeaveGuard(text !== '', 'The pasted Caddyfile was not imported. Leave it?');

  const edit = (next: string) => {
    setText(next);
    // A plan is of one text alone.
    setPlan(null);
    setError(null);
    setImported(null);
  };
  const look = async () => {
    if (busy || text.trim() === '') return;
    setBusy(true);
    setPlan(null);
    setError(null);
    try {
      const [answer, sites, preamble] = await Promise.all([
        send<ImportAnswer>('POST', '/import', { proxyfile: text, dryRun: true }),
        get<Vhost[]>('/vhosts'),
        get<Preamble>('/preamble'),
      ]);
      const domains = sites.map(({ domain }) => domain);
      setPlan({ answer, present: { preamble: preamble.config, domains } });
    } catch (reason) {
      setError(reason);
    }
    setBusy(false);
  };
  const run = async () => {
    const answer = await send<ImportAnswer>('POST', '/import', { proxyfile: text });
    edit('');
    setImported(answer);
    hub.refresh();
  };

  const refusal = error instanceof ApiError ? error : null;
  return (
    <section class="card" aria-labelledby="import-title">
      <h2 id="import-title">Import a Caddyfile</h2>
      <p class="muted">
        Its global options and snippets become the preamble, each of its blocks a site. Nothing
        changes before you have seen what becomes of it.
      </p>
      {imported && (
        <Notice kind="success" title={`${plural(imported.vhosts.length, 'site')} imported`}>
          They are served from now on. <a href="/">To the sites</a>
        </Notice>
      )}
      <DropArea label="Choose a Caddyfile" onText={(content) => edit(content)}>
        <Field label="Caddyfile">
          {(attributes) => (
            <CodeEditor
              value={text}
              onInput={edit}
              rows={8}
              badLine={refusal?.line}
              attributes={attributes}
            />
          )}
        </Field>
      </DropArea>
      {error !== null && (
        <Notice kind="error" title={sentenceOf(error)} detail={refusal?.detail}>
          Nothing was changed.
        </Notice>
      )}
      <div class="actions">
        <button
          type="button"
          class={plan ? '' : 'primary'}
          disabled={busy || text.trim() === ''}
          onClick={look}
        >
          {busy ? 'Looking …' : 'See what becomes of it'}
        </button>
      </div>
      {plan && <PlanView plan={plan} onImport={run} />}
    </section>
  );
}
