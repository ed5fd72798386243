/** The inputs that filter the log. */
import { useMemo } from 'preact/hooks';
import { useProxyNames } from '../../lib/hub.ts';
import type { Vhost } from '../../lib/types.ts';
import { useMedia, WIDE } from '../../lib/use-browser.ts';
import { useGet } from '../../lib/use-load.ts';
import { Field, ProxySelect } from '../../parts/field.tsx';
import { filterBy } from './chips.tsx';
import { accepted, applied, type FilterKey, type Filters } from './filters.ts';
import { suggestionsFor } from './site-names.ts';
import { TimeRange } from './time-range.tsx';
import { useDraft } from './use-draft.ts';

type Props = {
  filters: Filters;
  /** Whether it is the log of one site. */
  isOfSite: boolean;
};

/** Always open on a wide screen, collapsed on a narrow one. */
export function FilterBar(props: Props) {
  const { filters } = props;
  const isWide = useMedia(WIDE);
  const inputs = <Inputs {...props} />;
  if (isWide) return <search class="log-filters below">{inputs}</search>;
  const active = applied(filters).length;
  return (
    <search class="log-filters below">
      <details>
        <summary class="strong">Filters{active > 0 && ` (${active} active)`}</summary>
        {inputs}
      </details>
    </search>
  );
}

function Inputs({ filters, isOfSite }: Props) {
  const proxies = useProxyNames();
  return (
    <>
      <div class="log-fields">
        {!isOfSite && <DomainField value={filters.domain} />}
        {FIELDS.map((field) => (
          <FilterField key={field.name} {...field} value={filters[field.name]} />
        ))}
        {proxies.length > 0 && (
          <Field label="Proxy">
            {(attributes) => (
              <ProxySelect
                {...attributes}
                names={proxies}
                value={filters.agent}
                onPick={(agent) => filterBy({ agent })}
              />
            )}
          </Field>
        )}
      </div>
      <TimeRange from={filters.from} to={filters.to} />
      <Suggestions id="log-statuses" values={STATUSES} />
      <Suggestions id="log-methods" values={METHODS} />
    </>
  );
}

function DomainField({ value }: { value: string }) {
  const { data: sites } = useGet<Vhost[]>('/vhosts');
  const names = useMemo(
    () => suggestionsFor(sites ?? []).map((one) => <option key={one.value} {...one} />),
    [sites],
  );
  return (
    <>
      <FilterField name="domain" label="Domain" value={value} list="log-sites" />
      <datalist id="log-sites">{names}</datalist>
    </>
  );
}

const STATUSES = ['2xx', '3xx', '4xx', '5xx', '200', '301', '403', '404', '429', '500', '502'];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

const FIELDS: readonly Omit<FieldProps, 'value'>[] = [
  {
    name: 'status',
    label: 'Status',
    list: 'log-statuses',
    invalid: 'Enter a status such as 404, or a class such as 5xx.',
  },
  {
    name: 'method',
    label: 'Method',
    list: 'log-methods',
    invalid: 'Enter a method such as GET.',
  },
  { name: 'path', label: 'Path starts with' },
  { name: 'q', label: 'Path contains' },
  { name: 'ip', label: 'IP address', invalid: 'Enter a complete IP address such as 192.0.2.1.' },
  { name: 'userAgent', label: 'User agent' },
];

const Suggestions = ({ id, values }: { id: string; values: readonly string[] }) => (
  <datalist id={id}>
    {values.map((value) => (
      <option key={value} value={value} />
    ))}
  </datalist>
);

type FieldProps = {
  name: FilterKey;
  label: string;
  value: string;
  list?: string;
  /** Shown for a value the API would reject. */
  invalid?: string;
};

const PAUSE_MS = 300;

function FilterField({ name, label, value, list, invalid = 'This is too long.' }: FieldProps) {
  const draft = useDraft(name, value, {
    pause: PAUSE_MS,
    filterOf: (text) => accepted(name, text),
  });
  return (
    <Field label={label} error={draft.isInvalid ? invalid : null}>
      {(attributes) => (
        <input
          {...attributes}
          type="search"
          list={list}
          value={draft.text}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => draft.type(event.currentTarget.value)}
          onBlur={draft.finish}
          onKeyDown={(event) => {
            if (event.key === 'Enter') draft.finish();
          }}
        />
      )}
    </Field>
  );
}
