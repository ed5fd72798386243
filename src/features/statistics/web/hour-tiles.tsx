/** Requests, errors and latency of the last hour against the hour before; each leads to its requests. */
import { useId } from 'preact/hooks';
import { count, duration } from '../../../web/lib/format.ts';
import { logsOf } from '../../../web/logs/filter/filters.ts';
import { changeOf, type Figures, type Hours } from './hours.ts';

type Props = {
  hours: Hours | undefined;
  /** Empty for all. */
  domain: string;
};

export function HourTiles({ hours, domain }: Props) {
  const id = useId();
  if (hours && hours.last.requests + hours.before.requests === 0) return null;
  const tile = { hours, domain };
  return (
    <section aria-labelledby={id}>
      <h2 class="small muted" id={id}>
        Last hour
      </h2>
      <ul class="tiles plain">
        <Tile {...tile} label="Requests" of={({ requests }) => requests} words={count} />
        <Tile
          {...tile}
          label="Errors (5xx)"
          status="5xx"
          of={({ errors }) => errors}
          words={count}
        />
        <Tile {...tile} label="Latency, median" of={({ p50 }) => p50} words={duration} />
        <Tile {...tile} label="Latency, p95" of={({ p95 }) => p95} words={duration} />
      </ul>
    </section>
  );
}

type TileProps = Props & {
  label: string;
  /** Of the requests that it leads to. */
  status?: string;
  of: (figures: Figures) => number | null;
  words: (value: number) => string;
};

/** Not there if its hour has no such number; empty until the hours are known. */
function Tile({ hours, domain, label, status = '', of, words }: TileProps) {
  const leadTo = ({ from, to }: Figures) => logsOf({ domain, status, from, to });
  const last = hours ? of(hours.last) : null;
  const before = hours && hours.before.requests > 0 ? of(hours.before) : null;
  if (hours && last === null) return null;
  const isBad = status !== '' && last !== null && last > 0;
  const change = changeOf(last, before);
  return (
    <li class="tile card numeric">
      <span class="tiny muted">{label}</span>
      {hours && last !== null && (
        <a class={isBad ? 'tile-value bad' : 'tile-value'} href={leadTo(hours.last)}>
          {words(last)}
        </a>
      )}
      {hours && before !== null && (
        <span class="tile-before tiny muted">
          <a href={leadTo(hours.before)}>{words(before)}</a> the hour before{' '}
          {change && <b class="nowrap">{change}</b>}
        </span>
      )}
    </li>
  );
}
