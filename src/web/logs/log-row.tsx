/** A request in the log; clicking a value filters by it. */
import type { ComponentChildren } from 'preact';
import { duration, localTime } from '../lib/format.ts';
import type { LogEntry } from '../lib/types.ts';
import { filterBy } from './filter/chips.tsx';
import { accepted, type FilterKey, PATH_FILTER } from './filter/filters.ts';
import { minuteOf, type Range } from './filter/time-range.tsx';
import { CLASS_WORDS, classOf, cut, StatusMark, shown, visible } from './values.tsx';

/** CSS grid removes a table's implicit roles, so they are set explicitly. */
export const CELL = { role: 'gridcell' } as const;
export const ROW = { role: 'row' } as const;

/** Characters shown of a value in a row. */
const PATH_SHOWN = 160;
const NAME_SHOWN = 80;

type Props = { entry: LogEntry; onOpen: (entry: LogEntry) => void };

export function LogRow({ entry, onOpen }: Props) {
  const { timestamp, domain, method, path, status, latency, ip, agent } = entry;
  const name = classOf(status);
  return (
    <tr {...ROW} class="log-row">
      <td {...CELL} class="log-time numeric">
        <Value patch={minuteOf(timestamp)} title="Show this minute">
          {timestamp === '' ? 'no time' : localTime(timestamp)}
        </Value>
      </td>
      <td {...CELL} class="log-status strong numeric">
        <Value patch={by('status', String(status))} title={`${status}: ${CLASS_WORDS[name]}`}>
          <StatusMark name={name} />
          {status}
          <span class="visually-hidden"> {CLASS_WORDS[name]}</span>
        </Value>
      </td>
      <td {...CELL} class="log-method">
        <Value patch={by('method', method)}>{shown(method, NAME_SHOWN)}</Value>
      </td>
      <td {...CELL} class="log-domain">
        <Value patch={by('domain', domain)}>{shown(domain, NAME_SHOWN)}</Value>
      </td>
      <td {...CELL} class="log-path mono tiny">
        <Value patch={by('path', cut(path, PATH_FILTER))}>{shown(path, PATH_SHOWN)}</Value>
      </td>
      <td {...CELL} class="log-latency nowrap numeric">
        {latencyText(latency)}
      </td>
      <td {...CELL} class="log-ip mono tiny numeric">
        <Value patch={by('ip', ip)}>{shown(ip, NAME_SHOWN)}</Value>
      </td>
      {agent !== undefined && (
        <td {...CELL} class="log-proxy">
          <Value patch={by('agent', agent)}>{agent}</Value>
        </td>
      )}
      <td {...CELL} class="log-open">
        <button
          type="button"
          class="log-value"
          tabIndex={-1}
          aria-label="Details"
          title="Everything Caddy wrote about this request"
          onClick={() => onOpen(entry)}
        >
          <span class="strong muted" aria-hidden="true">
            ›
          </span>
        </button>
      </td>
    </tr>
  );
}

type Patch = Partial<Record<FilterKey, string>> | Range;

// A value that the API would reject as a filter cannot be clicked.
function by(key: FilterKey, value: string): Patch | undefined {
  const normal = value === '' ? undefined : accepted(key, value);
  return normal === undefined ? undefined : { [key]: normal };
}

type ValueProps = { patch: Patch | undefined; title?: string; children: ComponentChildren };

// The table is a single tab stop; the arrow keys move from value to value.
function Value({ patch, title, children }: ValueProps) {
  // Right-to-left text from strangers affects only itself.
  if (!patch) {
    return (
      <span class="log-value" dir="ltr">
        {children}
      </span>
    );
  }
  return (
    <button
      type="button"
      class="log-value"
      dir="ltr"
      tabIndex={-1}
      title={title}
      onClick={() => filterBy(patch)}
    >
      {children}
    </button>
  );
}

function latencyText(latency: string): string {
  const milliseconds = Number.parseFloat(latency);
  return Number.isFinite(milliseconds) ? duration(milliseconds) : visible(cut(latency, 20));
}
