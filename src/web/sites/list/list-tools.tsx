/** The line above the list: search, filters with their counts, the span of the history, and the order if there are no heads. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { count } from '../../lib/format.ts';
import { useProxyNames } from '../../lib/hub.ts';
import { useCan } from '../../lib/roles.ts';
import { keeperOf } from '../../lib/source.ts';
import type { VhostStrips } from '../../lib/types.ts';
import { useKey, useMedia } from '../../lib/use-browser.ts';
import { ProxySelect } from '../../parts/field.tsx';
import { Segments } from '../../parts/segments.tsx';
import { SPANS } from '../../parts/strip.tsx';
import { isShown, queryOf, readFilter, SHOWN, type Shown, type SiteFilter } from './filter.ts';
import { COLUMN_LABELS } from './list-heads.tsx';
import { COLUMNS, type Row } from './rows.ts';
import { ROOMY } from './site-table.tsx';

type Span = VhostStrips['span'];

const LABELS: Record<Shown, string> = { all: 'All', on: 'On', off: 'Off', problems: 'Problems' };

type Props = {
  filter: SiteFilter;
  /** What the search finds, of any kind. */
  found: readonly Row[];
  /** All that sites have. */
  tags: readonly string[];
  span: Span;
  onChange: (change: Partial<SiteFilter>) => void;
  onSpan: (span: Span) => void;
};

export function ListTools(props: Props) {
  const { filter, onChange } = props;
  const canEdit = useCan('editor');
  // There, the filters are behind a button.
  const isNarrow = !useMedia(ROOMY);
  const search = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(queryOf({ ...filter, search: '' }) !== '');
  useKey('/', () => search.current?.focus());
  return (
    <div class="site-tools row">
      <h1>Sites</h1>
      {canEdit && (
        <a class="button primary" href="/sites/new">
          New site
        </a>
      )}
      <input
        ref={search}
        type="search"
        class="grow"
        aria-label="Search sites"
        placeholder="Search ( / )"
        value={filter.search}
        onInput={(event) => onChange({ search: event.currentTarget.value })}
      />
      {isNarrow && (
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filter
        </button>
      )}
      {(!isNarrow || isOpen) && <Filters {...props} hasHeads={!isNarrow} />}
    </div>
  );
}

function Filters({
  filter,
  found,
  tags,
  span,
  hasHeads,
  onChange,
  onSpan,
}: Props & { hasHeads: boolean }) {
  const { order, policy, source } = filter;
  const proxies = useProxyNames();
  return (
    <>
      <Segments
        label="Show sites"
        options={SHOWN.map(
          (name) => [name, <Shows key={name} name={name} found={found} />] as const,
        )}
        chosen={filter.shown}
        onChoose={(shown) => onChange({ shown })}
      />
      <TagFilter filter={filter} tags={tags} onChange={onChange} />
      {proxies.length > 0 && (
        <ProxySelect
          aria-label="Proxy"
          names={proxies}
          value={filter.agent}
          onPick={(agent) => onChange({ agent })}
        />
      )}
      {policy !== '' && (
        <Chip title="Show the sites of all policies" onRemove={() => onChange({ policy: '' })}>
          Policy {policy}
        </Chip>
      )}
      {source !== '' && (
        <Chip title="Show all sites, whoever keeps them" onRemove={() => onChange({ source: '' })}>
          Managed by {keeperOf(source)}
        </Chip>
      )}
      {!hasHeads && (
        <select
          aria-label="Sort by"
          value={order.column}
          onChange={({ currentTarget: { value } }) =>
            onChange({ order: readFilter(new URLSearchParams({ sort: value })).order })
          }
        >
          {COLUMNS.map((name) => (
            <option key={name} value={name}>
              {name === 'state' ? 'Problems first' : `By ${COLUMN_LABELS[name].toLowerCase()}`}
            </option>
          ))}
        </select>
      )}
      <Segments label="History of" options={SPANS} chosen={span} onChoose={onSpan} />
    </>
  );
}

type ChipProps = { title: string; onRemove: () => void; children: ComponentChildren };

/** A filter that came with the address, and can only be removed. */
const Chip = ({ title, onRemove, children }: ChipProps) => (
  <button type="button" class="cut" title={title} onClick={onRemove}>
    <span class="cut">{children}</span> <span aria-hidden="true">✕</span>
  </button>
);

/** A choice of the filter, with how many sites it shows. */
const Shows = ({ name, found }: Pick<Props, 'found'> & { name: Shown }) => (
  <>
    {LABELS[name]}
    <small class="numeric muted">{count(found.filter((row) => isShown(row, name)).length)}</small>
  </>
);

type TagFilterProps = Pick<Props, 'filter' | 'tags' | 'onChange'>;

/** Values of the box that are no tag: those begin with `=`. */
const ALL = '';
const GROUPED = 'group';

/** Shows only the sites with a tag, or all of them by tag. */
function TagFilter({ filter: { tag, isGrouped }, tags, onChange }: TagFilterProps) {
  if (tags.length === 0 && tag === '') return null;
  return (
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
  );
}
