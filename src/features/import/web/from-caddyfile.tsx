/** Imports a Caddyfile as preamble and sites, after showing what will happen. */
import { useState } from 'preact/hooks';
import type { ImportSource } from '../../../web/feature.ts';
import { ApiError, send } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import { useLeaveGuard } from '../../../web/lib/router.ts';
import { CodeEditor } from '../../../web/parts/code-editor.tsx';
import { DropArea, readTextFile } from '../../../web/parts/drop-area.tsx';
import { Field } from '../../../web/parts/field.tsx';
import { Doubts, Notice, RefusedNotice } from '../../../web/parts/notice.tsx';
import type { ImportAnswer } from '../schemas.ts';
import { type Asked, ImportButton, PlanContents, useImport } from './plan-view.tsx';

const importText = (proxyfile: string, { choices, dryRun, replay }: Asked) =>
  send<ImportAnswer>('POST', `/import${replay ? '?replay=true' : ''}`, {
    proxyfile,
    dryRun,
    taken: 'skip',
    replace: choices?.replace ?? [],
    preamble: choices?.sides ?? 'keep',
  });

function FromCaddyfile() {
  const [text, setText] = useState('');
  const { busy, error, look, reset, imported, plan } = useImport(importText);
  useLeaveGuard(text !== '', 'Leave without importing? The Caddyfile you entered will be lost.');

  const edit = (next: string) => {
    setText(next);
    // The plan was for the old text.
    reset();
  };

  return (
    <>
      <p class="muted">
        Its global options and snippets are added to the Caddy options, and each of its site blocks
        becomes a site. Nothing changes before you have reviewed it.
      </p>
      {imported && (
        <>
          <Notice kind="success" title={`${plural(imported.vhosts.length, 'site')} imported`}>
            The import is live. <a href="/sites">Go to your sites</a>
          </Notice>
          <Doubts warnings={imported.warnings} />
        </>
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
          onClick={() => look(text)}
        >
          {busy ? 'Checking …' : 'Review import'}
        </button>
      </div>
      {plan && (
        <section aria-label="Import plan">
          <PlanContents plan={plan} />
          <ImportButton plan={plan} onImported={() => setText('')} />
        </section>
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
