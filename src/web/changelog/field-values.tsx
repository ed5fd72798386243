/** What a change changed: in its line, and with old and new values below. */
import { useMemo } from 'preact/hooks';
import { plural } from '../lib/format.ts';
import { changesGuards, GUARD_FIELDS } from '../lib/guards.ts';
import type { Entry } from '../lib/types.ts';
import { DiffView, lineDiff, linesChanged } from '../parts/diff-view.tsx';
import { WORDS, wordOf } from './describe.ts';
import { type FieldChange, fieldsOf, MAX_INLINE } from './fields.ts';

/** The fields that a line has to name; none if its word says all, such as `Turned off`. */
export const namedFields = (entry: Entry): FieldChange[] =>
  wordOf(entry) === WORDS.update.word ? fieldsOf(entry.diff) : [];

/** Whether a line has all of it; a text, a long value and one of a policy are only a word there. */
export const isInLine = ({ kind, isOfPolicy, ...values }: FieldChange): boolean =>
  kind === 'value' && !isOfPolicy && Math.max(values.old.length, values.new.length) <= MAX_INLINE;

/** What follows the name of a field in a line. */
export function valuesOf(change: FieldChange): string {
  if (isInLine(change)) return ` ${change.old} → ${change.new}`;
  if (change.kind === 'value') return ' changed';
  return `, ${plural(linesChanged(change.old, change.new), 'line')} changed`;
}

/** Whether they change who gets in. */
export const areGuards = (fields: readonly FieldChange[]): boolean =>
  fields.some(
    ({ field, kind, old, new: now }) =>
      GUARD_FIELDS.includes(field) || (kind === 'text' && changesGuards(lineDiff(old, now))),
  );

/** `: upstream 10.0.0.5:80 → 10.0.0.6:80; config, 3 lines changed`. */
export function FieldValues({ fields }: { fields: readonly FieldChange[] }) {
  const texts = useMemo(() => fields.map(valuesOf), [fields]);
  return (
    <>
      {fields.map((change, at) => (
        <span key={change.field}>
          {at === 0 ? ': ' : '; '}
          {change.field}
          {isInLine(change) ? <span class="mono">{texts[at]}</span> : texts[at]}
        </span>
      ))}
    </>
  );
}

/** The changed fields of an update: a line diff for text, old and new value for the rest. */
export function FieldDiff({ fields }: { fields: readonly FieldChange[] }) {
  return (
    <dl class="stack above">
      {fields.map((change) => (
        <div key={change.field}>
          <dt class="tiny strong">{change.field}</dt>
          <dd>
            {change.kind === 'text' ? (
              <TextDiff change={change} />
            ) : (
              <span class="mono">
                <del>{change.old}</del>
                <span aria-hidden="true"> → </span>
                <ins>{change.new}</ins>
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function TextDiff({ change }: { change: FieldChange }) {
  const lines = useMemo(() => lineDiff(change.old, change.new), [change.old, change.new]);
  return <DiffView lines={lines} label={`Changes to ${change.field}`} />;
}
