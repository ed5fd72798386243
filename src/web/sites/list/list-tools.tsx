/** The search above the list, its filters with their counts, and the order if there are no heads. */
import { useRef } from 'preact/hooks';
import { count } from '../../lib/format.ts';
import { useProxyNames } from '../../lib/hub.ts';
import { keeperOf } from '../../lib/source.ts';
import { useKey } from '../../lib/use-browser.ts';
import { ProxySelect } from '../../parts/field.tsx';
import { isShown, SHOWN, type Shown, type SiteFilter } from './filter.ts';
import { COLUMN_LABELS } from './list-heads.tsx';
import { COLUMNS, type Row } from './rows.ts';

const LABELS: Record<Shown, string> = {
  all: 'All',
  on: 'On',
  off: 'Off',
  problems: 'Problems',
};

type Props = {
  filter: SiteFilter;
  /** What the search finds, of any kind. */
  found: readonly Row[];
  /** All that sites have. */
  tags: readonly string[];
  hasHeads: boolean;
  onChange: (change: Partial<SiteFilter>) => void;
};

export function ListTools({ filter, found, tags, hasHeads, onChange }: Props) {
  const search = useRef<HTMLInputElement>(null);
  const proxies = useProxyNames();
  useKey('/', () => search.current?.focus());
  return (
    <div class="site-filter row below">
      <input
        ref={search}
        type="search"
        class="grow"
        aria-label="Search sites"
        placeholder="Search by domain or upstream ( / )"
        value={filter.search}
        onInput={(event) => onChange({ search: event.currentTarget.value })}
      />
      <fieldset class="segments">
        <legend class="visually-hidden">Show sites</legend>
        {SHOWN.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="shown"
              checked={filter.shown === name}
              onChange={() => onChange({ shown: name })}
            />
            <span>
              {LABELS[name]}
              <small class="numeric muted">
                {count(found.filter((row) => isShown(row, name)).length)}
              </small>
            </span>
          </label>
        ))}
      </fieldset>
      <TagFilter filter={filter} tags={tags} onChange={onChange} />
      {proxies.length > 0 && (
        <ProxySelect
          aria-label="Proxy"
          names={proxies}
          value={filter.agent}
          onPick={(agent) => onChange({ agent })}
        />
      )}
      {!hasHeads && (
        <select
          aria-label="Sort by"
          value={filter.order.column}
          onChange={({ currentTarget: { value } }) => {
            const column = COLUMNS.find((name) => name === value);
            if (column) onChange({ order: { column, isReversed: false } });
          }}
        >
          {COLUMNS.map((name) => (
            <option key={name} value={name}>
              {name === 'state' ? 'Problems first' : `By ${COLUMN_LABELS[name].toLowerCase()}`}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

type TagFilterProps = {
  filter: SiteFilter;
  /** All that sites have, in order. */
  tags: readonly string[];
  onChange: (change: Partial<SiteFilter>) => void;
};

/** Values of the box that are no tag: those begin with `=`. */
const ALL = '';
const GROUPED = 'group';

/** Shows only the sites with a tag, or all of them by tag; also ends showing only those with a policy, or of a source. */
function TagFilter({ filter: { tag, policy, source, isGrouped }, tags, onChange }: TagFilterProps) {
  return (
    <>
      {(tags.length > 0 || tag !== '') && (
        <select
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
      {source !== '' && (
        <button
          type="button"
          class="cut"
          title="Show all sites, whoever keeps them"
          onClick={() => onChange({ source: '' })}
        >
          <span class="cut">Managed by {keeperOf(source)}</span> <span aria-hidden="true">✕</span>
        </button>
      )}
    </>
  );
}
