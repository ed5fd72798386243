/** What differs between a moment and now, a sentence each. */
import { subjectOf } from '../../../web/changelog/describe.ts';
import { wordOfField } from '../../../web/changelog/fields.ts';
import { plural } from '../../../web/lib/format.ts';
import type { Difference } from '../differences.ts';

/** What has happened since, and what the way back does. */
const WORDS = {
  since: { create: 'Created', update: 'Changed', delete: 'Deleted' },
  back: { create: 'Brings back', update: 'Changes', delete: 'Deletes' },
} as const;

/** Differences that are shown at once. */
const FIRST = 8;

type Props = { of: readonly Difference[]; as: keyof typeof WORDS };

export const Changes = ({ of, as }: Props) => (
  <>
    <Lines of={of.slice(0, FIRST)} as={as} />
    {of.length > FIRST && (
      <details>
        <summary class="muted">{plural(of.length - FIRST, 'more change')}</summary>
        <Lines of={of.slice(FIRST)} as={as} />
      </details>
    )}
  </>
);

const Lines = ({ of, as }: Props) => (
  <ul class="plain">
    {of.map((change) => (
      <li key={`${change.kind} ${change.id ?? change.name}`}>
        {WORDS[as][change.op]} {subjectOf(markOf(change))}
        {change.fields.length > 0 && `: ${change.fields.map(wordOfField).join(', ')}`}
      </li>
    ))}
  </ul>
);

/** As the changelog has it. */
function markOf({ kind, name }: Difference): string {
  if (kind === 'site') return name;
  return `(${kind === 'options' ? 'preamble' : kind} ${name}`.trimEnd().concat(')');
}
