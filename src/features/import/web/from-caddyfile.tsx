/** Imports a Caddyfile as preamble and sites, after showing what will happen. */
import { useState } from 'preact/hooks';
import type { ImportSource } from '../../../web/feature.ts';
import { ApiError, get, send } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import { useHub } from '../../../web/lib/hub.ts';
import { useLeaveGuard } from '../../../web/lib/router.ts';
import type { ImportAnswer, Vhost } from '../../../web/lib/types.ts';
import { useSubmit } from '../../../web/lib/use-form.ts';
import { CodeEditor } from '../../../web/parts/code-editor.tsx';
import { DropArea, readTextFile } from '../../../web/parts/drop-area.tsx';
import { Field } from '../../../web/parts/field.tsx';
import { Notice, RefusedNotice } from '../../../web/parts/notice.tsx';
import { type Plan, PlanView } from './plan-view.tsx';
import type { Choices } from './summary.ts';

function FromCaddyfile() {
  const hub = useHub();
  const [text, setText] = useState('');
  const [plan, setPlan] = useState<Plan | null>(null);
  const [imported, setImported] = useState<ImportAnswer | null>(null);
  useLeaveGuard(text !== '', 'Leave without importing? The Caddyfile you entered will be lost.');

  const edit = (next: string) => {
    setText(next);
    // The plan was for the old text.
    setPlan(null);
    clear();
    setImported(null);
  };
  const {
    busy,
    error,
    clear,
    run: review,
  } = useSubmit(async () => {
    setPlan(null);
    const all = { proxyfile: text, dryRun: true, taken: 'skip', preamble: 'keep' };
    const [answer, sites] = await Promise.all([
      send<ImportAnswer>('POST', '/import', all),
      get<Vhost[]>('/vhosts'),
    ]);
    setPlan({ answer, existing: sites.length });
  });
  const importAs = ({ sides, replace }: Choices, query = '', dryRun = false) => {
    const chosen = { taken: 'skip', replace, preamble: sides, dryRun };
    return send<ImportAnswer>('POST', `/import${query}`, { proxyfile: text, ...chosen });
  };
  const run = async (choices: Choices) => {
    const answer = await importAs(choices);
    edit('');
    setImported(answer);
    hub.refresh();
  };

  return (
    <>
      <p class="muted">
        Its global options and snippets are added to the preamble, and each of its site blocks
        becomes a site. You can review the result before anything changes, and choose what to use
        where the file differs from what you have.
      </p>
      {imported && (
        <Notice kind="success" title={`${plural(imported.vhosts.length, 'site')} imported`}>
          The import is live. <a href="/sites">Go to your sites</a>
        </Notice>
      )}
      <DropArea label="Choose a Caddyfile" onFile={async (file) => edit(await readTextFile(file))}>
        <Field label="Caddyfile">
          {(attributes) => (
            <CodeEditor
              value={text}
              onInput={edit}
              rows={8}
              badLine={error instanceof ApiError ? error.line : null}
              attributes={attributes}
            />
          )}
        </Field>
      </DropArea>
      {error !== null && <RefusedNotice error={error} />}
      <div class="actions">
        <button
          type="button"
          class={plan ? '' : 'primary'}
          disabled={busy || text.trim() === ''}
          onClick={() => review()}
        >
          {busy ? 'Checking …' : 'Review import'}
        </button>
      </div>
      {plan && (
        <PlanView
          plan={plan}
          onReplay={(choices) => importAs(choices, '?replay=true', true)}
          onImport={run}
        />
      )}
    </>
  );
}

export const caddyfile: ImportSource = {
  name: 'caddyfile',
  label: 'A Caddyfile',
  staysMounted: true,
  Source: FromCaddyfile,
};
