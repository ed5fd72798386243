/** The name of a site and where it forwards to. What was pasted is made right when it is complete, and said. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { UPSTREAM_PICKERS } from '../../form-features.ts';
import { TextField } from '../../parts/field.tsx';
import { headLine } from './block.ts';
import { type Corrected, correctNames, correctUpstream, sentenceOf } from './corrections.ts';
import type { Draft } from './draft.ts';
import { NamesField } from './names-field.tsx';

type Name = 'domain' | 'upstream';
type Change = Partial<Pick<Draft, Name | 'names'>>;
type Note = Corrected & {
  /** What was typed. */
  before: Change;
};

type Meant = Corrected & { change: Change };

const CORRECT: Record<Name, (draft: Draft) => Meant | null> = {
  domain({ domain, names }) {
    const { others = [], ...corrected } = correctNames(domain) ?? { kept: '', why: '' };
    if (corrected.kept === '') return null;
    const all = new Set([...names, ...others]);
    all.delete(corrected.kept);
    return { ...corrected, change: { domain: corrected.kept, names: [...all] } };
  },
  upstream({ upstream }) {
    const corrected = correctUpstream(upstream);
    return corrected && { ...corrected, change: { upstream: corrected.kept } };
  },
};

type Corrections = {
  /** What was corrected, until it is typed again. */
  notes: Partial<Record<Name, Note>>;
  /** In sentences, each with a space before it. */
  said: string;
  type: (name: Name, text: string) => void;
  /** Called when the field is complete. */
  correct: (name: Name) => void;
  /** What is undone stays so until it is typed again. */
  undo: (name: Name) => void;
};

export function useCorrections(
  draft: Draft,
  onChange: (change: Partial<Draft>) => void,
): Corrections {
  const [notes, setNotes] = useState<Corrections['notes']>({});
  const wanted = useRef<Partial<Record<Name, string>>>({});
  const note = (name: Name, now?: Note) =>
    setNotes(({ [name]: _, ...others }) => (now ? { ...others, [name]: now } : others));
  return {
    notes,
    said: Object.values(notes)
      .map((one) => ` ${sentenceOf(one)}`)
      .join(''),
    type(name, text) {
      note(name);
      onChange({ [name]: text });
    },
    correct(name) {
      const typed = draft[name];
      const meant = wanted.current[name] === typed ? null : CORRECT[name](draft);
      if (!meant) return;
      const { kept, why, change } = meant;
      const before = { [name]: typed, ...(name === 'domain' ? { names: draft.names } : {}) };
      note(name, why === '' && kept === typed.trim() ? undefined : { kept, why, before });
      onChange(change);
    },
    undo(name) {
      const before = notes[name]?.before;
      if (!before) return;
      wanted.current[name] = before[name] ?? '';
      note(name);
      onChange(before);
    },
  };
}

type Props = {
  draft: Draft;
  corrections: Corrections;
  /** The error to show beside a field. */
  errorAt: (name: Name) => string | null;
  onChange: (change: Partial<Draft>) => void;
  /** Opens what makes a certificate of the service's own acceptable. */
  onAccept: () => void;
  /** Called with an address that was chosen. */
  onUpstream: (address: string) => void;
};

export function AddressFields(props: Props) {
  const { draft, corrections, errorAt, onChange, onAccept, onUpstream } = props;
  const field = (name: Name, usual: string, more?: ComponentChildren) => ({
    type: 'text' as const,
    class: 'mono',
    autocomplete: 'off',
    autocapitalize: 'off' as const,
    spellcheck: false,
    value: draft[name],
    error: errorAt(name),
    help: (
      <Help note={corrections.notes[name]} usual={usual} onUndo={() => corrections.undo(name)}>
        {more}
      </Help>
    ),
    onInput: (event: { currentTarget: HTMLInputElement }) =>
      corrections.type(name, event.currentTarget.value),
    onChange: () => corrections.correct(name),
    onKeyDown: (event: KeyboardEvent) => {
      const isUndo =
        (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z';
      if (!isUndo || !corrections.notes[name]) return;
      event.preventDefault();
      corrections.undo(name);
    },
  });
  const isUsed = draft.config.includes('{upstream}');
  const [isAdding, setAdding] = useState(false);
  // Stays when the last one is removed.
  const hasChips = useRef(false);
  hasChips.current ||= isAdding || draft.names.length > 0;
  const isBlock = headLine(draft) !== -1;
  return (
    <div class="site-pair columns">
      <TextField
        label="Domain"
        {...field(
          'domain',
          isBlock
            ? 'Further names are in the config'
            : 'app.example.org, *.example.org or http://app.localhost',
          !hasChips.current && !isBlock && (
            <>
              {' '}
              <button type="button" class="link" onClick={() => setAdding(true)}>
                Add a name
              </button>
            </>
          ),
        )}
        required
      />
      <TextField
        label="Forward to"
        {...field(
          'upstream',
          isUsed
            ? 'Host and port of the service, such as 127.0.0.1:8000'
            : 'Not used: the config does not contain {upstream}',
          <>
            {UPSTREAM_PICKERS.map((Picker) => (
              <Picker key={Picker.name} onChoose={onUpstream} />
            ))}
            {asksForTrust(draft) && <Trust onAccept={onAccept} />}
          </>,
        )}
      />
      {hasChips.current && (
        <NamesField
          domain={draft.domain}
          names={draft.names}
          isNew={isAdding}
          onChange={(names) => onChange({ names })}
        />
      )}
    </div>
  );
}

/** Whether it forwards over HTTPS in the plain way, for which most services at home have no certificate. */
const asksForTrust = ({ upstream, config }: Draft): boolean =>
  /^https:\/\/[^/]/i.test(upstream.trim()) && /reverse_proxy \{upstream\}\s*(?:\n|$)/.test(config);

const Trust = ({ onAccept }: Pick<Props, 'onAccept'>) => (
  <span class="block">
    Its certificate must be one that this machine trusts.{' '}
    <button type="button" class="link" onClick={onAccept}>
      Accept any certificate …
    </button>
  </span>
);

type HelpProps = {
  note: Note | undefined;
  usual: string;
  onUndo: () => void;
  children: ComponentChildren;
};

/** What was corrected, in place of the usual help. */
const Help = ({ note, usual, onUndo, children }: HelpProps) => (
  <>
    <span role="status">
      {note && (
        <>
          {sentenceOf(note)}{' '}
          <button type="button" class="link" onClick={onUndo}>
            Undo
          </button>
        </>
      )}
    </span>
    {!note && usual}
    {children}
  </>
);
