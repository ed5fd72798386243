/** Edits the preamble: previews the change as a diff, then saves and publishes it. */
import { useState } from 'preact/hooks';
import { type Answer, ApiError, read, request, send } from '../lib/api.ts';
import { changesGuards } from '../lib/guards.ts';
import type { Preamble, Preview } from '../lib/types.ts';
import { useControlKey } from '../lib/use-browser.ts';
import { type Subject, useEditor } from '../lib/use-editor.ts';
import { useSubmit } from '../lib/use-form.ts';
import { ChangeQuestions } from '../parts/change-questions.tsx';
import { CodeEditor } from '../parts/code-editor.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { DiffView, diffLines } from '../parts/diff-view.tsx';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { RefusedChange } from '../parts/refused-change.tsx';
import { Time } from '../parts/time.tsx';
import { PreambleConflict } from './preamble-conflict.tsx';
import { TrustedProxies } from './trusted-proxies.tsx';

type Props = {
  loaded: Answer<Preamble>;
  /** The proxy whose own one it is; without a name the common one. */
  agent?: string;
  onSaved?: (now: Answer<Preamble>) => void;
};

export function PreambleForm({ loaded, agent, onSaved }: Props) {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [isAsking, setAsking] = useState(false);
  const subject = preambleOf(agent);
  const empty = { config: '' };
  const editor = useEditor({ ...subject, stored: loaded, empty, onStored: onSaved });
  const { draft, dirty, outcome, theirs } = editor;
  const check = useSubmit(async (thenAsk: boolean) => {
    setPreview(null);
    const operation = { op: 'preamble', config: draft.config };
    const verdict = await send<Preview>('POST', `/preview${subject.query}`, operation);
    setPreview(verdict);
    setAsking(thenAsk && verdict.valid);
  });
  const reset = () => {
    setPreview(null);
    check.clear();
  };
  const edit = (config: string) => {
    editor.set({ config });
    reset();
  };
  const save = async () => {
    await editor.save();
    setAsking(false);
    reset();
  };

  const busy = check.busy || editor.busy;
  const error = editor.error ?? check.error;
  const badLine = error instanceof ApiError ? error.line : (preview?.line ?? null);
  useControlKey('s', () => {
    if (dirty && !busy) void check.run(true);
  });
  return (
    <>
      <Field
        label="Caddyfile text"
        help={
          <>
            Last changed <Time at={(editor.stored ?? loaded).body.updatedAt} />
            {dirty && ' · unsaved changes'}
          </>
        }
      >
        {(attributes) => (
          <CodeEditor
            value={draft.config}
            onInput={edit}
            rows={12}
            badLine={badLine}
            attributes={attributes}
          />
        )}
      </Field>
      {theirs && (
        <PreambleConflict
          theirs={theirs.body}
          mine={draft.config}
          onDiscard={() => {
            editor.discard();
            reset();
          }}
          onOverwrite={editor.keep}
        />
      )}
      {error !== null && (
        <RefusedChange error={error} onReplace={() => editor.save(true)}>
          Your text is still in the editor.
        </RefusedChange>
      )}
      {preview && !preview.valid && (
        <Notice
          kind="error"
          title="This would be refused"
          detail={preview.detail}
          hint={preview.hint}
        />
      )}
      {outcome && !preview && (
        <Notice kind="success" title="Saved">
          The Caddy options are live.
        </Notice>
      )}
      <div class="actions">
        {!dirty && (
          <TrustedProxies
            stored={editor.stored ?? loaded}
            query={subject.query}
            onSaved={editor.take}
          />
        )}
        {dirty && (
          <button type="button" disabled={busy} onClick={() => edit(editor.base?.config ?? '')}>
            Discard changes
          </button>
        )}
        <button type="button" disabled={busy} onClick={() => check.run(false)}>
          {check.busy ? 'Checking …' : 'Preview'}
        </button>
        <button
          type="button"
          class="primary"
          disabled={busy || !dirty}
          onClick={() => check.run(true)}
        >
          Save options …
        </button>
      </div>
      {preview?.valid && (
        <section class="above" aria-labelledby="preview-title">
          <h2 id="preview-title">Changes to the Caddyfile</h2>
          {preview.diff === '' ? (
            <p class="muted" role="status">
              Nothing would change.
            </p>
          ) : (
            <Change label="Changes to the Caddyfile" {...preview} {...draft} agent={agent} />
          )}
        </section>
      )}
      {isAsking && preview && (
        <Confirm
          title="Save the Caddy options?"
          action={agent ? `Save for ${agent}` : 'Save for all sites'}
          kind="primary"
          onConfirm={save}
          onClose={() => setAsking(false)}
        >
          <p>
            This affects all sites{agent && ` on ${agent}`}. Caddy accepts it. The Caddyfile will
            change as follows:
          </p>
          {preview.diff === '' ? (
            <p class="muted">Only blank lines.</p>
          ) : (
            <Change label="Changes to be saved" {...preview} {...draft} agent={agent} />
          )}
        </Confirm>
      )}
    </>
  );
}

type ChangeProps = { label: string; diff: string; config: string; agent: string | undefined };

/** What a preamble would change. */
function Change({ label, diff, config, agent }: ChangeProps) {
  const lines = diffLines(diff);
  return (
    <>
      <DiffView lines={lines} label={label} />
      <ChangeQuestions
        of={[{ op: 'preamble', config }]}
        agent={agent}
        isGuard={changesGuards(lines)}
      />
    </>
  );
}

type Edited = Omit<Subject<Answer<Preamble>, { config: string }>, 'stored' | 'empty'>;

/** What the form edits. @param agent the proxy whose own one it is */
function preambleOf(agent: string | undefined): Edited & { query: string } {
  const query = agent === undefined ? '' : `?agent=${agent}`;
  const words = 'The Caddy options are live.';
  return {
    query,
    draftOf: ({ body: { config } }) => ({ config }),
    isSame: (a, b) => a.config === b.config,
    load: () => read<Preamble>(`/preamble${query}`),
    async save({ config }, over, { replace }) {
      const path = `/preamble${query}${replace ? `${query ? '&' : '?'}replace=true` : ''}`;
      const stored = await request<Preamble>(path, {
        method: 'PUT',
        body: { config },
        ifMatch: over?.etag,
      });
      return { stored, outcome: { kind: 'success', text: words } };
    },
    wordsOf: () => words,
  };
}
