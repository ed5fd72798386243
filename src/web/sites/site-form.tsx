/** Domain, upstream and config in one form; refused changes stand where they were made. */
import { useState } from 'preact/hooks';
import { ApiError, request } from '../lib/api.ts';
import { setFlash } from '../lib/flash.ts';
import { useHub } from '../lib/hub.ts';
import { navigate, useLeaveGuard } from '../lib/router.ts';
import type { Vhost } from '../lib/types.ts';
import { CodeEditor } from '../parts/code-editor.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Field } from '../parts/field.tsx';
import { AddressFields, fieldOf } from './address-fields.tsx';
import { Conflict } from './conflict.tsx';
import { changedFields, changesFrom, type Draft, draftOf } from './draft.ts';
import { PreviewPanel } from './preview-panel.tsx';
import { Refusal } from './refusal.tsx';
import { StatePanel } from './state-panel.tsx';
import { loadSite, type Stored } from './stored.ts';
import { usePreview } from './use-preview.ts';

type Props = { id: number | null; stored: Stored | null; initial: Draft };

export function SiteForm({ id, stored: first, initial }: Props) {
  const { refresh } = useHub();
  const [stored, setStored] = useState(first);
  const [draft, setDraft] = useState<Draft>(first ? draftOf(first.site) : initial);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [theirs, setTheirs] = useState<Stored | null>(null);
  const [deleting, setDeleting] = useState(false);
  const [saved, setSaved] = useState(false);
  const base = stored && draftOf(stored.site);
  const verdict = usePreview(id, base, draft);
  const dirty = changedFields(base ?? initial, draft).length > 0;
  useLeaveGuard(dirty && !busy && !saved, 'Leave without saving? What you typed will be lost.');

  const set = (change: Partial<Draft>) => {
    setDraft((old) => ({ ...old, ...change }));
    setError(null);
    setSaved(false);
  };

  /** `over`: the state the change is made to, where it is not the one that was loaded. */
  const save = async (over: Stored | null, replace = false) => {
    setBusy(true);
    setError(null);
    const query = replace ? '?replace=true' : '';
    try {
      if (id === null) {
        const { body } = await request<Vhost>(`/vhosts${query}`, { body: draft });
        setSaved(true);
        setFlash(body.enabled ? `${body.domain} is live.` : `${body.domain} is stored.`);
        refresh();
        navigate(`/sites/${body.id}`, { replace: true });
        return;
      }
      const { body, etag } = await request<Vhost>(`/vhosts/${id}${query}`, {
        method: 'PUT',
        body: base ? changesFrom(base, draft) : draft,
        ifMatch: over?.etag,
      });
      setStored({ site: body, etag });
      setDraft(draftOf(body));
      setTheirs(null);
      setSaved(true);
      refresh();
    } catch (reason) {
      if (id !== null && reason instanceof ApiError && reason.code === 'PRECONDITION_FAILED') {
        const now = await loadSite(id).catch(() => null);
        // Our own change, whose answer was lost.
        if (now && changedFields(draftOf(now.site), draft).length === 0) {
          setStored(now);
          setSaved(true);
          setBusy(false);
          return;
        }
        setTheirs(now);
      }
      setError(reason);
    }
    setBusy(false);
  };

  const remove = async () => {
    // Not what somebody else has changed since it was shown.
    await request(`/vhosts/${id}`, { method: 'DELETE', ifMatch: stored?.etag });
    refresh();
    setSaved(true);
    navigate('/', { replace: true });
  };

  const takeTheirs = () => {
    setStored(theirs);
    if (theirs) setDraft(draftOf(theirs.site));
    setTheirs(null);
    setError(null);
  };

  const canSave = !busy && (id === null || dirty);
  const at = fieldOf(error);
  const badLine =
    error instanceof ApiError && error.line !== null
      ? error.line
      : verdict.state === 'refused'
        ? verdict.line
        : null;

  return (
    <div class="site-form">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (canSave) void save(stored);
        }}
      >
        <AddressFields draft={draft} error={error} onChange={set} />
        <Field
          label="Config"
          help="Caddyfile directives of this site. Tab indents; Escape, then Tab leaves the editor."
        >
          {(attributes) => (
            <CodeEditor
              value={draft.config}
              onInput={(config) => set({ config })}
              badLine={badLine}
              attributes={attributes}
            />
          )}
        </Field>
        {theirs && base && (
          <Conflict
            base={base}
            draft={draft}
            theirs={theirs.site}
            onTakeTheirs={takeTheirs}
            onKeepMine={() => save(theirs)}
          />
        )}
        {error !== null && at === null && !theirs && (
          <Refusal error={error} onReplace={() => save(stored, true)} />
        )}
        {saved && !dirty && (
          <p class="notice notice-success" role="status">
            Saved{draft.enabled ? ' and live' : ''}.
          </p>
        )}
        <div class="save-bar">
          <label class="check">
            <input
              type="checkbox"
              checked={draft.enabled}
              onChange={(event) => set({ enabled: event.currentTarget.checked })}
            />
            Served
          </label>
          {id !== null && (
            <button type="button" onClick={() => setDeleting(true)}>
              Delete …
            </button>
          )}
          {/* Not `disabled`: the focus would be lost with each save. */}
          <button type="submit" class="primary" aria-disabled={!canSave}>
            {busy ? 'Publishing …' : id === null ? 'Create and publish' : 'Save and publish'}
          </button>
        </div>
      </form>
      <div>
        {id !== null && <StatePanel id={id} />}
        <PreviewPanel verdict={verdict} />
      </div>
      {deleting && stored && (
        <Confirm
          title={`Delete ${stored.site.domain}?`}
          action="Delete the site"
          name={stored.site.domain}
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          <p>Caddy stops serving it at once. The changelog can bring it back.</p>
        </Confirm>
      )}
    </div>
  );
}
