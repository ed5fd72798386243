/** The form of a site: where it forwards to, its policies and its config, with errors next to what caused them. */
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../lib/api.ts';
import { useProxyNames } from '../../lib/hub.ts';
import { useControlKey } from '../../lib/use-browser.ts';
import { useEditor } from '../../lib/use-editor.ts';
import { placeError } from '../../lib/use-form.ts';
import { KeptBy } from '../../parts/kept-by.tsx';
import { Notice } from '../../parts/notice.tsx';
import { SaveBar } from '../../parts/save-bar.tsx';
import { Tick } from '../../parts/tick.tsx';
import { AdditionButtons } from './addition-dialog.tsx';
import { AddressFields, useCorrections } from './address-fields.tsx';
import { linesAbove } from './block.ts';
import { CheckField } from './check-field.tsx';
import { type Draft, type DraftField, isComplete, operationOf } from './draft.ts';
import { ConfigField, PlacementField, TagsField } from './fields.tsx';
import { FormDialogs, type OpenDialog } from './form-dialogs.tsx';
import { HttpsAdvice } from './https-advice.tsx';
import { PolicyField, usePolicies } from './policy-field.tsx';
import { FormPreview, VerdictLink } from './preview-panel.tsx';
import { Conflict, Refusal } from './refused.tsx';
import { type Section, Sections } from './sections.tsx';
import { type Sending, type Stored, siteOf } from './subject.ts';

type Props = {
  id: number | null;
  stored: Stored | null;
  initial: Draft;
  /** Called with the site after each save. */
  onStored?: (stored: Stored) => void;
};

export function SiteForm({ id, stored, initial, onStored }: Props) {
  const proxies = useProxyNames();
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const { policies, recipes, add, error: loadError } = usePolicies();
  const said = useRef('');
  const sending = useRef<Sending>({ text: '', key: '' });
  const editor = useEditor({ ...siteOf(id, said, sending), stored, empty: initial, onStored });
  const { base, draft, error, outcome, verdict, theirs, form, set } = editor;
  const corrections = useCorrections(draft, set);
  said.current = corrections.said;

  useControlKey('s', () => form.current?.requestSubmit());
  useEffect(() => {
    if (id === null) form.current?.querySelector('input')?.focus();
  }, [form, id]);

  const { at, notice } = placeError(error, PLACES, ({ code, field }) =>
    code === 'CHECK_FAILED' ? 'check' : (field?.split('.')[0] ?? null),
  );
  /** A line of what was sent, in the config that is shown. */
  const shownLine = (line: number | null) => {
    const shown = (line ?? 0) - linesAbove(draft);
    return shown > 0 ? shown : null;
  };
  const seen =
    verdict.state === 'refused' ? { ...verdict, line: shownLine(verdict.line) } : verdict;
  const refusedLine = error instanceof ApiError ? shownLine(error.line) : null;
  const badLine = refusedLine ?? (seen.state === 'refused' ? seen.line : null);

  const served = (
    <Tick checked={draft.enabled} onTick={(enabled) => set({ enabled })}>
      Served
    </Tick>
  );
  const policyError = at('policies') ?? at('except') ?? loadError;
  const part = (name: string, fields: DraftField[], fault: unknown, view: VNode): Section => {
    return { name, fields, hasError: fault !== null, view };
  };
  const sections = [
    part(
      'policies',
      ['policies', 'except'],
      policyError,
      <PolicyField
        policies={policies}
        recipes={recipes}
        chosen={draft.policies}
        except={draft.except}
        error={policyError}
        onChange={set}
        onNew={(policy) => setOpen({ policy })}
      />,
    ),
    part(
      'tags',
      ['tags'],
      at('tags'),
      <TagsField tags={draft.tags} error={at('tags')} onChange={(tags) => set({ tags })} />,
    ),
    ...(proxies.length > 0
      ? [
          part(
            'proxies',
            ['agents'],
            at('agents'),
            <PlacementField
              proxies={proxies}
              chosen={draft.agents}
              error={at('agents')}
              onChange={(agents) => set({ agents })}
            />,
          ),
        ]
      : []),
    part(
      'config',
      ['config'],
      refusedLine,
      <>
        <AdditionButtons onChoose={(add) => setOpen({ add })} />
        <ConfigField config={draft.config} badLine={badLine} onChange={set} />
      </>,
    ),
    part(
      'check',
      ['check'],
      at('check'),
      <CheckField
        check={draft.check}
        error={at('check') && error}
        operationWith={
          isComplete(draft) ? (check) => operationOf(id, base, { ...draft, check }) : null
        }
        onChange={(check) => set({ check })}
      />,
    ),
    ...(id === null ? [part('on or off', ['enabled'], null, served)] : []),
  ];

  return (
    <div class="site-form">
      <form ref={form} onSubmit={editor.onSubmit}>
        <KeptBy source={editor.stored?.body.source ?? null} />
        <AddressFields
          draft={draft}
          corrections={corrections}
          errorAt={at}
          onChange={set}
          onAccept={() => setOpen({ add: 'https-upstream' })}
          onUpstream={(address) => corrections.type('upstream', address)}
        />
        <Sections draft={draft} sections={sections} />
        {theirs && base && <Conflict base={base} draft={draft} theirs={theirs.body} />}
        {notice !== null && (
          <Refusal
            error={error}
            line={refusedLine}
            policies={policies ?? []}
            onReplace={() => editor.save(true)}
            placed={draft.agents}
            onPlace={(agents) => set({ agents })}
          />
        )}
        {outcome && <Notice kind={outcome.kind}>{outcome.text}</Notice>}
        <SaveBar
          editor={editor}
          onDelete={() => editor.stored && setOpen({ delete: editor.stored.body })}
        >
          {id !== null && served}
          <VerdictLink verdict={seen} />
        </SaveBar>
      </form>
      <div>
        <FormPreview verdict={seen} operation={editor.operation} policies={policies ?? []} />
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
          onGone={editor.release}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  );
}

/** The fields that show their own errors. */
const PLACES = ['domain', 'upstream', 'policies', 'except', 'tags', 'agents', 'check'] as const;
