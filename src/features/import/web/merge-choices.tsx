/** The parts of an import that differ from what is there, each with a choice. */
import { DiffView, diffLines } from '../../../web/parts/diff-view.tsx';
import { Segments } from '../../../web/parts/segments.tsx';
import type { Choices, Conflicts, Side } from './summary.ts';

type Props = { conflicts: Conflicts; choices: Choices; onChange: (choices: Choices) => void };

/** A longer list would be slow; whoever has more uses the command line. */
const MAX_SHOWN = 200;

export function MergeChoices({ conflicts: { parts, sites }, choices, onChange }: Props) {
  const { sides, replace } = choices;
  const domains = sites.map(({ domain }) => domain);
  return (
    <>
      {parts.length > 0 && (
        <>
          <h4>Options and snippets that differ</h4>
          <ul class="plan-sites plain box">
            {parts.map(({ name, diff }) => (
              <ConflictChoice
                key={name}
                name={name}
                diff={diff}
                labels={{ keep: 'Keep mine', file: 'Use the file’s' }}
                side={sides[name] ?? 'keep'}
                onChoose={(side) => onChange({ ...choices, sides: { ...sides, [name]: side } })}
              />
            ))}
          </ul>
        </>
      )}
      {sites.length > 0 && (
        <>
          <div class="row between bottom">
            <h4>Sites that you already have</h4>
            {sites.length > 1 && (
              <span class="actions">
                <button type="button" onClick={() => onChange({ ...choices, replace: [] })}>
                  Skip all
                </button>
                <button type="button" onClick={() => onChange({ ...choices, replace: domains })}>
                  Replace all
                </button>
              </span>
            )}
          </div>
          <ul class="plan-sites plain box">
            {sites.slice(0, MAX_SHOWN).map(({ domain, diff, vhosts }) => (
              <ConflictChoice
                key={domain}
                name={domain}
                note={vhosts.some(({ enabled }) => !enabled) ? 'is off; replacing turns it on' : ''}
                diff={diff}
                labels={{ keep: 'Skip', file: 'Replace' }}
                side={replace.includes(domain) ? 'file' : 'keep'}
                onChoose={(side) => {
                  const others = replace.filter((other) => other !== domain);
                  onChange({ ...choices, replace: side === 'file' ? [...others, domain] : others });
                }}
              />
            ))}
          </ul>
          {sites.length > MAX_SHOWN && (
            <p class="muted">
              and {sites.length - MAX_SHOWN} more, which the buttons above concern too
            </p>
          )}
        </>
      )}
    </>
  );
}

type ConflictChoiceProps = {
  name: string;
  /** More about the one that the hub has. */
  note?: string;
  diff: string;
  /** What it is called to leave it as it is, and to use the one of the file. */
  labels: Record<Side, string>;
  side: Side;
  onChoose: (side: Side) => void;
};

/** Asks which of two texts to use, of something that the hub and an imported file both have. */
function ConflictChoice({ name, note, diff, labels, side, onChoose }: ConflictChoiceProps) {
  // Texts as short as these need no line numbers.
  const lines = diffLines(diff).filter(({ kind }, at) => kind !== 'hunk' || at > 0);
  return (
    <li>
      <div class="row between">
        <span>
          <strong class="mono">{name}</strong>
          {note && <span class="muted"> {note}</span>}
        </span>
        <Segments
          label={name}
          options={[
            ['keep', labels.keep],
            ['file', labels.file],
          ]}
          chosen={side}
          onChoose={onChoose}
        />
      </div>
      {lines.length > 0 && <DiffView lines={lines} label={`From the hub to the file: ${name}`} />}
    </li>
  );
}
