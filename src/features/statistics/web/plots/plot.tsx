/** Draws requests, and with them latencies, over time. */
import { count, duration } from '../../../../web/lib/format.ts';
import { fillOf } from './patterns.tsx';
import { LATENCIES, type PlotData, STACK } from './plot-data.ts';
import { columnsOf, lineOf, type Panel, panelOf, yOf } from './shapes.ts';
import { tickNames, timeTicks, valueTicks, widthOf } from './ticks.ts';

/** Pixels beside the columns; the style sheet places the marks of changes by them. */
export const LEFT = 56;
export const RIGHT = 8;
const TOP = 8;
const REQUESTS_HEIGHT = 130;
const LATENCY_TOP = 156;
/** Pixels from line to line of the names. */
const LINE = 17;

/** Pixels down to the end of the columns; the names of times are below them. */
export const bottomOf = (isWhole: boolean): number => (isWhole ? 224 : 56);
export const NAMES_HEIGHT = 40;

type Props = { data: PlotData; width: number; isWhole: boolean };

/** What is in the `<svg>`, which is `width` pixels wide. */
export function Plot({ data, width, isWhole }: Props) {
  const { from, to, times, stacked } = data;
  const room = width - LEFT - RIGHT;
  const bottom = bottomOf(isWhole);
  const x = (time: number) => LEFT + ((time - from) / (to - from)) * room;
  const middles = times.map(x);
  const ticks = timeTicks(from, to, room);
  const lines = ticks.times.map(x);
  const requests = panelOf(TOP, isWhole ? REQUESTS_HEIGHT : bottom - TOP, stacked.at(-1) ?? []);
  const latency = panelOf(LATENCY_TOP, bottom - LATENCY_TOP, [...data.p50, ...data.p95]);
  const layers = columnsOf(stacked, middles, room / times.length, requests);
  const axis = { lines, right: width - RIGHT };
  return (
    <>
      <Axis {...axis} panel={requests} least={1} nameOf={count} />
      {layers.map((layer, at) => (
        <path key={STACK[at]} fill={fillOf(STACK[at] ?? 'other')} d={layer} />
      ))}
      {isWhole && <Axis {...axis} panel={latency} least={0.1} nameOf={duration} />}
      {isWhole &&
        LATENCIES.map(({ name }) => (
          <path key={name} class={`plot-${name}`} d={lineOf(data[name], middles, latency)} />
        ))}
      {tickNames(ticks.times, ticks.step).map((name, at) => {
        const [clock = '', date] = name.split('\n');
        const middle = lines[at] ?? 0;
        // Without those that would be cut at the edge.
        if (middle + widthOf(clock) / 2 > width) return null;
        return (
          <text key={middle} y={bottom} text-anchor="middle">
            <tspan x={middle} dy={LINE}>
              {clock}
            </tspan>
            <tspan x={middle} dy={LINE}>
              {date}
            </tspan>
          </text>
        );
      })}
    </>
  );
}

type AxisProps = {
  panel: Panel;
  /** Of the grid over time. */
  lines: readonly number[];
  right: number;
  least: number;
  nameOf: (value: number) => string;
};

/** The grid of a panel, and the names of its values. */
function Axis({ panel, lines, right, least, nameOf }: AxisProps) {
  const values = valueTicks(panel.most, panel.height, least);
  const rows = values.map((value) => `M${LEFT} ${yOf(panel, value) + 0.5}H${right}`);
  const columns = lines.map((x) => `M${Math.round(x) + 0.5} ${panel.top}v${panel.height}`);
  return (
    <>
      <path stroke="var(--line)" d={[...rows, ...columns].join('')} />
      {values.map((value) => (
        <text key={value} x={LEFT - 8} y={yOf(panel, value) + 4} text-anchor="end">
          {value === 0 ? 0 : nameOf(value)}
        </text>
      ))}
    </>
  );
}
