/** The form of a site: where it forwards to, its policies and its config, with errors next to what caused them. */
import { useRef, useState } from 'preact/hooks';
import { AdditionButtons } from '../additions/addition-buttons.tsx';
import { CheckField } from '../checks/check-field.tsx';
import { ApiError, request } from '../lib/api.ts';
import type { Flash } from '../lib/flash.ts';
import { useHub } from '../lib/hub.ts';
import { navigate, useLeaveGuard } from '../lib/router.ts';
import { placeError } from '../lib/use-fields.ts';
import { useSaveKey } from '../lib/use-key.ts';
import { submitWith } from '../lib/use-submit.ts';
import { CodeEditor } from '../parts/code-editor.tsx';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { AddressFields } from './address-fields.tsx';
import { Conflict } from './conflict.tsx';
import { changedFields, type Draft, draftOf, isComplete } from './draft.ts';
import { EDIT, useEditAddress } from './edit-key.ts';
import { FormDialogs, type OpenDialog } from './form-dialogs.tsx';
import { HttpsAdvice } from './https-advice.tsx';
import { PlacementField } from './placement-field.tsx';
import { PolicyField } from './policy-field.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { Refusal } from './refusal.tsx';
import { SaveBar } from './save-bar.tsx';
import type { Stored } from './stored.ts';
import { TagsField } from './tags-field.tsx';
import { useFaultInView, useFirstField } from './use-form-view.ts';
import { usePolicies } from './use-policies.ts';
import { operationOf, usePreview } from './use-preview.ts';
import { useSiteSave } from './use-site-save.ts';

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
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const [saved, setSaved] = useState(false);
  const [outcome, setOutcome] = useState<Flash | null>(null);
  const { policies, recipes, add, error: loadError } = usePolicies();
  const base = stored && draftOf(stored.site);
  const verdict = usePreview(id, base, draft);
  const dirty = changedFields(base ?? initial, draft).length > 0;

  const save = useSiteSave(id, base, draft, (now, said) => {
    setSaved(true);
    setOutcome(said);
    refresh();
    if (!now) return;
    setStored(now);
    setDraft(draftOf(now.site));
    onStored?.(now);
  });
  const { busy, error, run, clear, theirs } = save;

  const form = useRef<HTMLFormElement>(null);
  useSaveKey(() => form.current?.requestSubmit());
  useFaultInView(form, error ?? outcome);
  useFirstField(form, id === null);
  useEditAddress();
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
    save.forgetTheirs();
    clear();
  };

  const canSave = !busy && !theirs && (id === null || dirty);
  const { at, notice } = placeError(error, PLACES, ({ code, field }) =>
    code === 'CHECK_FAILED' ? 'check' : (field?.split('.')[0] ?? null),
  );
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
        <PolicyField
          policies={policies}
          recipes={recipes}
          chosen={draft.policies}
          error={at('policies') ?? loadError}
          onChange={(policies) => set({ policies })}
          onNew={(policy) => setOpen({ policy })}
        />
        <TagsField tags={draft.tags} error={at('tags')} onChange={(tags) => set({ tags })} />
        <PlacementField
          chosen={draft.agents}
          error={at('agents')}
          onChange={(agents) => set({ agents })}
        />
        <AdditionButtons onChoose={(add) => setOpen({ add })} />
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
              rows={6}
              attributes={attributes}
            />
          )}
        </Field>
        <CheckField
          check={draft.check}
          error={at('check') && error}
          operationWith={
            isComplete(draft) ? (check) => operationOf(id, base, { ...draft, check }) : null
          }
          onChange={(check) => set({ check })}
        />
        {theirs && base && <Conflict base={base} draft={draft} theirs={theirs.site} />}
        {notice !== null && !theirs && (
          <Refusal error={error} policies={policies ?? []} onReplace={() => run(stored, true)} />
        )}
        {saved && !dirty && outcome && <Notice kind={outcome.kind}>{outcome.text}</Notice>}
        <SaveBar
          draft={draft}
          isNew={id === null}
          isConflict={theirs !== null}
          busy={busy}
          canSave={canSave}
          onServe={(enabled) => set({ enabled })}
          onDelete={() => stored && setOpen({ delete: stored.site.domain })}
          onDiscard={discard}
          onKeep={() => run(theirs)}
        />
      </form>
      <div>
        <PreviewPanel verdict={verdict} policies={policies ?? []} />
        <HttpsAdvice draft={draft} onChange={set} />
      </div>
      {open && (
        <FormDialogs
          open={open}
          draft={draft}
          policies={policies ?? []}
          recipes={recipes}
          onPolicy={add}
          onChange={set}
          onDelete={remove}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  );
}

/** The fields that show their own errors. */
const PLACES = ['domain', 'upstream', 'policies', 'tags', 'agents', 'check'] as const;
