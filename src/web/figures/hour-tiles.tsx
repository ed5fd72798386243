/** Requests, errors and latency of the last hour against the hour before; each leads to its requests. */
import { count, duration } from '../lib/format.ts';
import { changeOf, type Figures, type Hours, logsOf } from './hours.ts';

type Props = {
  hours: Hours | undefined;
  /** Empty for all. */
  domain: string;
};

const latency = (value: number | null) => (value === null ? '–' : duration(value));

export function HourTiles({ hours, domain }: Props) {
  const tile = { hours, domain };
  return (
    <ul class="tiles" aria-label="Last hour">
      <Tile {...tile} label="Requests" valueOf={({ requests }) => requests} words={countOf} />
      <Tile
        {...tile}
        label="Errors (5xx)"
        status="5xx"
        valueOf={({ errors }) => errors}
        words={countOf}
      />
      <Tile {...tile} label="Latency, median" valueOf={({ p50 }) => p50} words={latency} />
      <Tile {...tile} label="Latency, p95" valueOf={({ p95 }) => p95} words={latency} />
    </ul>
  );
}

const countOf = (value: number | null) => count(value ?? 0);

type TileProps = Props & {
  label: string;
  /** Of the requests that it leads to. */
  status?: string;
  valueOf: (figures: Figures) => number | null;
  words: (value: number | null) => string;
};

function Tile({ hours, domain, label, status = '', valueOf, words }: TileProps) {
  const leadTo = ({ from, to }: Figures) => logsOf({ domain, status, from, to });
  const isBad = status !== '' && (hours?.last.errors ?? 0) > 0;
  const change = hours ? changeOf(valueOf(hours.last), valueOf(hours.before)) : '';
  return (
    <li class="tile">
      <span class="tile-label">{label}</span>
      {hours ? (
        <>
          <a class={isBad ? 'tile-value over' : 'tile-value'} href={leadTo(hours.last)}>
            {words(valueOf(hours.last))}
          </a>
          <span class="tile-before">
            <a href={leadTo(hours.before)}>{words(valueOf(hours.before))}</a> the hour before
            {change && <b>{change}</b>}
          </span>
        </>
      ) : (
        <span class="tile-value muted">–</span>
      )}
    </li>
  );
}
