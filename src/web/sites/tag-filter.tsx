/** Shows only the sites with a tag, or all of them by tag; also ends showing only those with a policy. */
import type { SiteFilter } from './filter.ts';

type Props = {
  filter: SiteFilter;
  /** All that sites have, in order. */
  tags: readonly string[];
  onChange: (change: Partial<SiteFilter>) => void;
};

/** Values of the box that are no tag: those begin with `=`. */
const ALL = '';
const GROUPED = 'group';

export function TagFilter({ filter: { tag, policy, isGrouped }, tags, onChange }: Props) {
  return (
    <>
      {(tags.length > 0 || tag !== '') && (
        <select
          class="site-order"
          aria-label="Tags"
          value={isGrouped ? GROUPED : tag === '' ? ALL : `=${tag}`}
          onChange={({ currentTarget: { value } }) =>
            onChange({
              isGrouped: value === GROUPED,
              tag: value.startsWith('=') ? value.slice(1) : '',
            })
          }
        >
          <option value={ALL}>All tags</option>
          <option value={GROUPED}>Grouped by tag</option>
          {[...new Set([...tags, ...(tag === '' ? [] : [tag])])].map((name) => (
            <option key={name} value={`=${name}`}>
              {name}
            </option>
          ))}
        </select>
      )}
      {policy !== '' && (
        <button
          type="button"
          title="Show the sites of all policies"
          onClick={() => onChange({ policy: '' })}
        >
          Policy {policy} <span aria-hidden="true">✕</span>
        </button>
      )}
    </>
  );
}
