/** The numbers of the plot as a table, for those who cannot see it. */
import { useState } from 'preact/hooks';
import { duration, localTime } from '../lib/format.ts';
import type { LogStats } from '../lib/types.ts';
import { CLASSES } from './status-class.ts';

export function FiguresTable({ stats }: { stats: LogStats | undefined }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="log-figures" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as a table</summary>
      {isOpen && stats && <Figures stats={stats} />}
    </details>
  );
}

function Figures({ stats: { buckets } }: { stats: LogStats }) {
  const busy = buckets.filter(({ requests }) => CLASSES.some((name) => requests[name] > 0));
  const latency = (value: number | null) => (value === null ? '–' : duration(value));
  return (
    <section
      class="log-scroll"
      aria-label="Requests and latency over time, as a table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            {CLASSES.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">p50</th>
            <th scope="col">p95</th>
          </tr>
        </thead>
        <tbody>
          {busy.map(({ from, requests, p50, p95 }) => (
            <tr key={from}>
              <th scope="row">{localTime(from)}</th>
              {CLASSES.map((name) => (
                <td key={name}>{requests[name].toLocaleString('en')}</td>
              ))}
              <td>{latency(p50)}</td>
              <td>{latency(p95)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
