/** Requests, errors and latency of the last hour against the hour before; each leads to its requests. */
import { useId } from 'preact/hooks';
import { count, duration } from '../../../web/lib/format.ts';
import { logsOf } from '../../../web/logs/filter/filters.ts';
import { changeOf, type Figures, type Hours } from './hours.ts';
import './hours.css';

type Props = {
  hours: Hours | undefined;
  /** Empty for all. */
  domain: string;
};

const latency = (value: number | null) => (value === null ? '–' : duration(value));

export function HourTiles({ hours, domain }: Props) {
  const id = useId();
  const tile = { hours, domain };
  return (
    <section aria-labelledby={id}>
      <h2 class="small muted" id={id}>
        Last hour
      </h2>
      <ul class="tiles plain">
        <Tile {...tile} label="Requests" of={({ requests }) => requests} words={countOf} />
        <Tile
          {...tile}
          label="Errors (5xx)"
          status="5xx"
          of={({ errors }) => errors}
          words={countOf}
        />
        <Tile {...tile} label="Latency, median" of={({ p50 }) => p50} words={latency} />
        <Tile {...tile} label="Latency, p95" of={({ p95 }) => p95} words={latency} />
      </ul>
    </section>
  );
}

const countOf = (value: number | null) => count(value ?? 0);

type TileProps = Props & {
  label: string;
  /** Of the requests that it leads to. */
  status?: string;
  of: (figures: Figures) => number | null;
  words: (value: number | null) => string;
};

function Tile({ hours, domain, label, status = '', of, words }: TileProps) {
  const leadTo = ({ from, to }: Figures) => logsOf({ domain, status, from, to });
  const isBad = status !== '' && (hours?.last.errors ?? 0) > 0;
  const change = hours ? changeOf(of(hours.last), of(hours.before)) : '';
  return (
    <li class="tile card numeric">
      <span class="tiny muted">{label}</span>
      {hours ? (
        <>
          <a class={isBad ? 'tile-value bad' : 'tile-value'} href={leadTo(hours.last)}>
            {words(of(hours.last))}
          </a>
          <span class="tile-before tiny muted">
            <a href={leadTo(hours.before)}>{words(of(hours.before))}</a> the hour before{' '}
            {change && <b class="nowrap">{change}</b>}
          </span>
        </>
      ) : (
        <span class="tile-value muted">–</span>
      )}
    </li>
  );
}
