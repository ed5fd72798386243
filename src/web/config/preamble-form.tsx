/** Edits the preamble: previews the change as a diff, then saves and publishes it. */
import { useState } from 'preact/hooks';
import { ApiError, get, send } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import { useLeaveGuard } from '../lib/router.ts';
import type { Preamble, Preview } from '../lib/types.ts';
import { useSaveKey } from '../lib/use-key.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { CodeEditor } from '../parts/code-editor.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { DiffView, diffLines } from '../parts/diff-view.tsx';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { PreambleConflict } from './preamble-conflict.tsx';
import { PreambleRefused } from './preamble-refused.tsx';

type Props = {
  loaded: Preamble;
  /** The proxy whose own one it is; without a name the common one. */
  agent?: string;
  onSaved?: (now: Preamble) => void;
};

export function PreambleForm({ loaded, agent, onSaved }: Props) {
  const hub = useHub();
  const query = agent === undefined ? '' : `agent=${agent}&`;
  const [base, setBase] = useState(loaded);
  const [text, setText] = useState(loaded.config);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [asking, setAsking] = useState<Preview | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [theirs, setTheirs] = useState<Preamble | null>(null);
  const [saved, setSaved] = useState(false);
  const dirty = text !== base.config;
  useLeaveGuard(dirty, 'Your changes to the preamble will be lost.');

  const {
    busy,
    error: checkError,
    run: check,
    clear: clearCheck,
  } = useSubmit(async (thenAsk: boolean) => {
    reset();
    const verdict = await send<Preview>('POST', `/preview?${query}`, {
      op: 'preamble',
      config: text,
    });
    setPreview(verdict);
    if (thenAsk && verdict.valid) setAsking(verdict);
  });
  const reset = () => {
    setPreview(null);
    clearCheck();
    setRefusal(null);
    setSaved(false);
  };
  const edit = (next: string) => {
    setText(next);
    reset();
  };

  /** @throws ApiError if the stored preamble could not be loaded; nothing was sent then */
  const save = async (replace = false, overwrite = false) => {
    const now = await get<Preamble>(`/preamble?${query}`);
    setAsking(null);
    if (!overwrite && now.updatedAt !== base.updatedAt) {
      setTheirs(now);
      return;
    }
    reset();
    setTheirs(null);
    try {
      const path = `/preamble?${query}${replace ? 'replace=true' : ''}`;
      const stored = await send<Preamble>('PUT', path, { config: text });
      setBase(stored);
      setSaved(true);
      onSaved?.(stored);
      hub.refresh();
    } catch (reason) {
      setRefusal(reason);
    }
  };
  const discard = (now: Preamble) => {
    setBase(now);
    setTheirs(null);
    edit(now.config);
  };

  const error = refusal ?? checkError;
  const badLine = error instanceof ApiError ? error.line : (preview?.line ?? null);
  useSaveKey(() => {
    if (dirty && !busy) void check(true);
  });
  return (
    <>
      <Field
        label="Caddyfile text"
        help={
          <>
            Last changed <Time at={base.updatedAt} />
            {dirty && ' · unsaved changes'}
          </>
        }
      >
        {(attributes) => (
          <CodeEditor
            value={text}
            onInput={edit}
            rows={12}
            badLine={badLine}
            attributes={attributes}
          />
        )}
      </Field>
      {theirs && (
        <PreambleConflict
          theirs={theirs}
          mine={text}
          onDiscard={() => discard(theirs)}
          onOverwrite={() => save(false, true)}
        />
      )}
      {error !== null && <PreambleRefused error={error} onReplace={() => save(true)} />}
      {preview && !preview.valid && (
        <Notice
          kind="error"
          title="This would be refused"
          detail={preview.detail}
          hint={preview.hint}
        />
      )}
      {saved && (
        <Notice kind="success" title="Saved">
          The preamble is live.
        </Notice>
      )}
      <div class="actions">
        {dirty && (
          <button type="button" disabled={busy} onClick={() => edit(base.config)}>
            Discard changes
          </button>
        )}
        <button type="button" disabled={busy} onClick={() => check(false)}>
          {busy ? 'Checking …' : 'Preview'}
        </button>
        <button type="button" class="primary" disabled={busy || !dirty} onClick={() => check(true)}>
          Save preamble …
        </button>
      </div>
      {preview?.valid && (
        <section class="preview" aria-labelledby="preview-title">
          <h2 id="preview-title">Changes to the Caddyfile</h2>
          {preview.diff === '' ? (
            <p class="muted" role="status">
              Nothing would change.
            </p>
          ) : (
            <DiffView lines={diffLines(preview.diff)} label="Changes to the Caddyfile" />
          )}
        </section>
      )}
      {asking && (
        <Confirm
          title="Save the preamble?"
          action={agent ? `Save for ${agent}` : 'Save for all sites'}
          kind="primary"
          onConfirm={() => save()}
          onClose={() => setAsking(null)}
        >
          <p>
            This affects all sites{agent && ` on ${agent}`}. Caddy accepts it. The Caddyfile will
            change as follows:
          </p>
          {asking.diff === '' ? (
            <p class="muted">Only blank lines.</p>
          ) : (
            <DiffView lines={diffLines(asking.diff)} label="Changes to be saved" />
          )}
        </Confirm>
      )}
    </>
  );
}
