/** The form of a site: where it forwards to, its policies and its config, with errors next to what caused them. */
import { useEffect, useState } from 'preact/hooks';
import { type Answer, ApiError, read, request } from '../../lib/api.ts';
import { useHub } from '../../lib/hub.ts';
import { navigate, setFlash } from '../../lib/router.ts';
import type { ChangedVhost, Done, Vhost } from '../../lib/types.ts';
import { useSaveKey } from '../../lib/use-browser.ts';
import { type Subject, useEditor } from '../../lib/use-editor.ts';
import { placeError } from '../../lib/use-form.ts';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { Field } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { SaveBar } from '../../parts/save-bar.tsx';
import { AdditionButtons } from './addition-dialog.tsx';
import { CheckField } from './check-field.tsx';
import {
  changedFields,
  changesFrom,
  type Draft,
  draftOf,
  EDIT,
  isComplete,
  isLive,
  operationOf,
  outcomeOf,
  useEditAddress,
} from './draft.ts';
import { AddressFields, PlacementField, TagsField } from './fields.tsx';
import { FormDialogs, type OpenDialog } from './form-dialogs.tsx';
import { HttpsAdvice } from './https-advice.tsx';
import { PolicyField, usePolicies } from './policy-field.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { Conflict, Refusal } from './refused.tsx';

type Stored = Answer<Vhost>;

type Props = {
  id: number | null;
  stored: Stored | null;
  initial: Draft;
  /** Called with the site after each save. */
  onStored?: (stored: Stored) => void;
};

export function SiteForm({ id, stored, initial, onStored }: Props) {
  const { refresh } = useHub();
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const { policies, recipes, add, error: loadError } = usePolicies();
  const editor = useEditor({ ...siteOf(id), stored, empty: initial, onStored });
  const { base, draft, error, outcome, verdict, theirs, form, set } = editor;

  useSaveKey(() => form.current?.requestSubmit());
  useEditAddress();
  useEffect(() => {
    if (id === null) form.current?.querySelector('input')?.focus();
  }, [form, id]);

  const remove = async () => {
    // Refused if someone else has changed the site since it was loaded.
    const ifMatch = editor.stored?.etag;
    const { body } = await request<Done>(`/vhosts/${id}`, { method: 'DELETE', ifMatch });
    const { warnings } = body;
    if (warnings) setFlash(outcomeOf('The site is deleted', { ...body, warnings }));
    refresh();
    editor.release();
    navigate('/sites', { replace: true });
  };
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
      <form ref={form} onSubmit={editor.onSubmit}>
        <AddressFields draft={draft} errorAt={at} onChange={set} />
        <PolicyField
          policies={policies}
          recipes={recipes}
          chosen={draft.policies}
          except={draft.except}
          error={at('policies') ?? at('except') ?? loadError}
          onChange={set}
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
        {theirs && base && <Conflict base={base} draft={draft} theirs={theirs.body} />}
        {notice !== null && (
          <Refusal error={error} policies={policies ?? []} onReplace={() => editor.save(true)} />
        )}
        {outcome && <Notice kind={outcome.kind}>{outcome.text}</Notice>}
        <SaveBar
          editor={editor}
          onDelete={() => editor.stored && setOpen({ delete: editor.stored.body.domain })}
        >
          <label class="check">
            <input
              type="checkbox"
              checked={draft.enabled}
              onChange={(event) => set({ enabled: event.currentTarget.checked })}
            />
            Served
          </label>
        </SaveBar>
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
const PLACES = ['domain', 'upstream', 'policies', 'except', 'tags', 'agents', 'check'] as const;

/** What the form edits. @param id null for a new site, whose page opens once it is stored */
const siteOf = (id: number | null): Omit<Subject<Stored, Draft>, 'stored' | 'empty'> => ({
  draftOf: ({ body }) => draftOf(body),
  isSame: (a, b) => changedFields(a, b).length === 0,
  operation: (draft, base) =>
    isComplete(draft) && (!base || changedFields(base, draft).length > 0)
      ? operationOf(id, base, draft)
      : null,
  async save(draft, over, { replace }) {
    const query = replace ? '?replace=true' : '';
    if (over === null) {
      const { body } = await request<ChangedVhost>(`/vhosts${query}`, { body: draft });
      const outcome = outcomeOf(`${body.domain} is ${isLive(body) ? 'live' : 'saved'}`, body);
      setFlash(outcome);
      navigate(`/sites/${body.id}`, { replace: true });
      return { stored: null, outcome };
    }
    const stored = await request<ChangedVhost>(`/vhosts/${id}${query}`, {
      method: 'PUT',
      body: changesFrom(draftOf(over.body), draft),
      ifMatch: over.etag,
    });
    return { stored, outcome: outcomeOf(doneWords(stored.body), stored.body) };
  },
  load: () => read<Vhost>(`/vhosts/${id}`),
  wordsOf: ({ body }) => `${doneWords(body)}.`,
  merge: (base, draft, theirs) => ({ ...theirs, ...changesFrom(base, draft) }),
});

const doneWords = (vhost: Vhost | ChangedVhost) => (isLive(vhost) ? 'Saved and live' : 'Saved');
