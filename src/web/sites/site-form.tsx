/** The form of a site: domain, upstream and config, with errors next to what caused them. */
import { useRef, useState } from 'preact/hooks';
import { ApiError, request } from '../lib/api.ts';
import { type Flash, setFlash } from '../lib/flash.ts';
import { useHub } from '../lib/hub.ts';
import { navigate, useLeaveGuard } from '../lib/router.ts';
import type { ChangedVhost } from '../lib/types.ts';
import { placeError } from '../lib/use-fields.ts';
import { useSaveKey } from '../lib/use-key.ts';
import { submitWith, useSubmit } from '../lib/use-submit.ts';
import { CodeEditor } from '../parts/code-editor.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { AddressFields } from './address-fields.tsx';
import { Conflict, ConflictChoice } from './conflict.tsx';
import { changedFields, changesFrom, type Draft, draftOf } from './draft.ts';
import { EDIT } from './edit-key.ts';
import { HttpsAdvice } from './https-advice.tsx';
import { outcomeOf } from './outcome.ts';
import { PreviewPanel } from './preview-panel.tsx';
import { Refusal } from './refusal.tsx';
import { loadSite, type Stored } from './stored.ts';
import { useFaultInView, useFirstField } from './use-form-view.ts';
import { usePreview } from './use-preview.ts';

type Props = {
  id: number | null;
  stored: Stored | null;
  initial: Draft;
  /** Called with the site after each save. */
  onStored?: (stored: Stored) => void;
};

export function SiteForm({ id, stored: first, initial, onStored }: Props) {
  const { refresh } = useHub();
  const [stored, setStored] = useState(first);
  const [draft, setDraft] = useState<Draft>(first ? draftOf(first.site) : initial);
  const [theirs, setTheirs] = useState<Stored | null>(null);
  const [deleting, setDeleting] = useState(false);
  const [saved, setSaved] = useState(false);
  const [outcome, setOutcome] = useState<Flash | null>(null);
  const base = stored && draftOf(stored.site);
  const verdict = usePreview(id, base, draft);
  const dirty = changedFields(base ?? initial, draft).length > 0;

  /** @param over the state that the change is made to */
  const { busy, error, run, clear } = useSubmit(async (over: Stored | null, replace = false) => {
    const query = replace ? '?replace=true' : '';
    if (id === null) {
      const { body } = await request<ChangedVhost>(`/vhosts${query}`, { body: draft });
      setSaved(true);
      setFlash(outcomeOf(`${body.domain} is ${body.enabled ? 'live' : 'saved'}`, body));
      refresh();
      navigate(`/sites/${body.id}`, { replace: true });
      return;
    }
    try {
      const { body, etag } = await request<ChangedVhost>(`/vhosts/${id}${query}`, {
        method: 'PUT',
        body: base ? changesFrom(base, draft) : draft,
        ifMatch: over?.etag,
      });
      setStored({ site: body, etag });
      onStored?.({ site: body, etag });
      setDraft(draftOf(body));
      setTheirs(null);
      setSaved(true);
      setOutcome(outcomeOf(body.enabled ? 'Saved and live' : 'Saved', body));
      refresh();
    } catch (reason) {
      if (!(reason instanceof ApiError) || reason.code !== 'PRECONDITION_FAILED') throw reason;
      const now = await loadSite(id).catch(() => null);
      if (!now || changedFields(draftOf(now.site), draft).length > 0) {
        setTheirs(now);
        throw reason;
      }
      // It was our own change, whose answer got lost.
      setStored(now);
      setSaved(true);
      setOutcome({ kind: 'success', text: now.site.enabled ? 'Saved and live.' : 'Saved.' });
    }
  });

  const form = useRef<HTMLFormElement>(null);
  useSaveKey(() => form.current?.requestSubmit());
  useFaultInView(form, error ?? outcome);
  useFirstField(form, id === null);
  useLeaveGuard(dirty && !busy && !saved, 'Your changes will be lost.');
  const set = (change: Partial<Draft>) => {
    setDraft((old) => ({ ...old, ...change }));
    clear();
    setSaved(false);
  };

  const remove = async () => {
    // Refused if someone else has changed the site since it was loaded.
    await request(`/vhosts/${id}`, { method: 'DELETE', ifMatch: stored?.etag });
    refresh();
    setSaved(true);
    navigate('/sites', { replace: true });
  };

  const discard = () => {
    setStored(theirs);
    if (theirs) setDraft(draftOf(theirs.site));
    setTheirs(null);
    clear();
  };

  const canSave = !busy && !theirs && (id === null || dirty);
  const { at, notice } = placeError(error, ['domain', 'upstream']);
  const badLine =
    error instanceof ApiError && error.line !== null
      ? error.line
      : verdict.state === 'refused'
        ? verdict.line
        : null;

  return (
    <div class="site-form">
      <form ref={form} onSubmit={submitWith(() => canSave && run(stored))}>
        <AddressFields draft={draft} errorAt={at} onChange={set} />
        <Field
          label="Config"
          id={EDIT}
          help="Caddyfile directives for this site. Tab indents; press Escape, then Tab to leave the editor."
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
        {theirs && base && <Conflict base={base} draft={draft} theirs={theirs.site} />}
        {notice !== null && !theirs && (
          <Refusal error={error} onReplace={() => run(stored, true)} />
        )}
        {saved && !dirty && outcome && <Notice kind={outcome.kind}>{outcome.text}</Notice>}
        <div class="save-bar">
          {theirs ? (
            <ConflictChoice onDiscard={discard} onKeep={() => run(theirs)} />
          ) : (
            <>
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
              {/* Not `disabled`, which would lose the focus on every save. */}
              <button type="submit" class="primary" aria-disabled={!canSave}>
                {busy ? 'Publishing …' : id === null ? 'Create and publish' : 'Save and publish'}
              </button>
            </>
          )}
        </div>
      </form>
      <div>
        <PreviewPanel verdict={verdict} />
        <HttpsAdvice draft={draft} onChange={set} />
      </div>
      {deleting && stored && (
        <Confirm
          title={`Delete ${stored.site.domain}?`}
          action="Delete site"
          name={stored.site.domain}
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        >
          <p>Caddy stops serving it at once. You can restore it from the changelog.</p>
        </Confirm>
      )}
    </div>
  );
}
