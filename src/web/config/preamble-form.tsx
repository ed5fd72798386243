/** The preamble's text: tried out, shown as a diff, published. */
import { useState } from 'preact/hooks';
import { ApiError, get, send } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import { useLeaveGuard } from '../lib/router.ts';
import type { Preamble, Preview } from '../lib/types.ts';
import { CodeEditor } from '../parts/code-editor.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { DiffView, diffLines } from '../parts/diff-view.tsx';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { PreambleConflict } from './preamble-conflict.tsx';
import { PreambleRefused } from './preamble-refused.tsx';

export function PreambleForm({ loaded }: { loaded: Preamble }) {
  const hub = useHub();
  const [base, setBase] = useState(loaded);
  const [text, setText] = useState(loaded.config);
  const [busy, setBusy] = useState(false);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [asking, setAsking] = useState<Preview | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [theirs, setTheirs] = useState<Preamble | null>(null);
  const [saved, setSaved] = useState(false);
  const dirty = text !== base.config;
  useLeaveGuard(dirty, 'The preamble was changed and not saved. Leave it?');

  const clear = () => {
    setPreview(null);
    setError(null);
    setSaved(false);
  };
  const edit = (next: string) => {
    setText(next);
    clear();
  };
  const look = async (): Promise<Preview | null> => {
    setBusy(true);
    clear();
    try {
      const seen = await send<Preview>('POST', '/preview', { op: 'preamble', config: text });
      setPreview(seen);
      return seen;
    } catch (reason) {
      setError(reason);
      return null;
    } finally {
      setBusy(false);
    }
  };
  const ask = async () => {
    const seen = await look();
    if (seen?.valid) setAsking(seen);
  };

  /** @throws Error where it was not saved for want of an answer */
  const save = async (replace = false, force = false) => {
    const now = await get<Preamble>('/preamble');
    setAsking(null);
    if (!force && now.updatedAt !== base.updatedAt) {
      setTheirs(now);
      return;
    }
    clear();
    setTheirs(null);
    try {
      const path = replace ? '/preamble?replace=true' : '/preamble';
      const made = await send<Preamble>('PUT', path, { config: text });
      setBase(made);
      setSaved(true);
      hub.refresh();
    } catch (reason) {
      setError(reason);
    }
  };
  const takeTheirs = (now: Preamble) => {
    setBase(now);
    setText(now.config);
    setTheirs(null);
    clear();
  };

  const badLine = error instanceof ApiError ? error.line : (preview?.line ?? null);
  return (
    <>
      <Field
        label="Caddyfile text"
        help={
          <>
            Last changed <Time at={base.updatedAt} />
            {dirty && ' · not saved yet'}
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
          onTake={() => takeTheirs(theirs)}
          onForce={() => save(false, true)}
        />
      )}
      {error !== null && <PreambleRefused error={error} onReplace={() => save(true)} />}
      {preview && !preview.valid && (
        <Notice kind="error" title="The proxy would refuse this" detail={preview.detail}>
          Nothing was changed.
        </Notice>
      )}
      {saved && (
        <Notice kind="success" title="Saved">
          All sites are served with it.
        </Notice>
      )}
      <div class="actions">
        {dirty && (
          <button type="button" disabled={busy} onClick={() => edit(base.config)}>
            Discard my changes
          </button>
        )}
        <button type="button" disabled={busy} onClick={look}>
          {busy ? 'Asking the proxy …' : 'Preview'}
        </button>
        <button type="button" class="primary" disabled={busy || !dirty} onClick={ask}>
          Save preamble …
        </button>
      </div>
      {preview?.valid && (
        <section class="preview" aria-labelledby="preview-title">
          <h2 id="preview-title">The Caddyfile after it</h2>
          {preview.diff === '' ? (
            <p class="muted" role="status">
              Nothing would change.
            </p>
          ) : (
            <DiffView lines={diffLines(preview.diff)} label="Changes of the Caddyfile" />
          )}
        </section>
      )}
      {asking && (
        <Confirm
          title="Save the preamble?"
          action="Save for all sites"
          kind="primary"
          onConfirm={() => save()}
          onClose={() => setAsking(null)}
        >
          <p>It concerns all sites. The proxy would take it; this is what changes:</p>
          {asking.diff === '' ? (
            <p class="muted">Nothing but blank lines.</p>
          ) : (
            <DiffView lines={diffLines(asking.diff)} label="What changes" />
          )}
        </Confirm>
      )}
    </>
  );
}
