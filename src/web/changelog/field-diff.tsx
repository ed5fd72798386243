/** The changed fields of an update: a line diff for text, old and new value for the rest. */
import { useMemo } from 'preact/hooks';
import { DiffView } from '../parts/diff-view.tsx';
import type { FieldChange } from './fields.ts';
import { lineDiff } from './line-diff.ts';

export function FieldDiff({ fields }: { fields: readonly FieldChange[] }) {
  return (
    <dl class="field-diff">
      {fields.map((change) => (
        <div key={change.field}>
          <dt>{change.field}</dt>
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
