/** Draws requests and latencies over time; loaded only when there is something to draw. */
import uPlot from 'uplot';
import { count, duration } from '../../../../web/lib/format.ts';
import { type PlotData, tickNames } from './plot-data.ts';
import { dashed, readInk, stackFills } from './plot-ink.ts';

type PlotEvents = {
  /** Seconds since 1970. */
  onZoom: (from: number, to: number) => void;
  onZoomOut: () => void;
  /** The index of the bucket at the cursor. */
  onCursor: (at: number | null) => void;
};

/** Pixels; the style sheet reserves this space. */
const REQUESTS_HEIGHT = 148;
const LOW_HEIGHT = 96;
const LATENCY_HEIGHT = 116;
/** Pixels; anything shorter is a shaky click. */
const LEAST_DRAG = 5;
const AXIS_WIDTH = 66;
const PADDING = 8;
/** Pixels, at least: from time to time on the axis, and between their names. */
const TIME_SPACE = 76;
const TIME_GAP = 12;

/**
 * @param latency null for a low plot of the requests only
 * @returns a function that removes the plots
 */
export function drawPlots(
  requests: HTMLElement,
  latency: HTMLElement | null,
  data: PlotData,
  events: PlotEvents,
): () => void {
  const ink = readInk();
  const widthOf = measure(ink.font);
  // The step will be no shorter than this, and the names of longer ones are no wider.
  const space = (_: uPlot, __: number, from: number, to: number, width: number) =>
    Math.max(
      TIME_SPACE,
      TIME_GAP + widthOf(tickNames([from], ((to - from) / width) * TIME_SPACE)[0] ?? ''),
    );
  const group = uPlot.sync(`log-${data.from}-${data.to}`);
  const moves = (type: string) => type === 'mousemove' || type === 'mouseleave';
  const axis = {
    stroke: ink.soft,
    grid: { stroke: ink.line, width: 1 },
    ticks: { stroke: ink.line, width: 1 },
    font: ink.font,
  };
  const common = (height: number, xAxis: uPlot.Axis, name: (value: number) => string) => ({
    width: Math.max(requests.clientWidth, 1),
    height,
    legend: { show: false },
    padding: [PADDING, PADDING, 0, 0] as [number, number, number, number],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false },
      sync: { key: group.key, setSeries: false, filters: { pub: moves } },
      bind: {
        dblclick: () => () => {
          events.onZoomOut();
          return null;
        },
      },
    },
    axes: [
      { ...axis, space, ...xAxis },
      {
        ...axis,
        size: AXIS_WIDTH,
        space: 26,
        values: (_: uPlot, values: number[]) => values.map(name),
      },
    ],
    hooks: {
      setCursor: [({ cursor }: uPlot) => events.onCursor(cursor.idx ?? null)],
      setSelect: [
        (plot: uPlot) => {
          const { left, width } = plot.select;
          if (width < LEAST_DRAG) return;
          events.onZoom(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
        },
      ],
    },
  });
  const x = { time: true, range: [data.from, data.to] as [number, number] };
  const fromZero = (_: uPlot, __: number, most: number | null): [number, number] => [
    0,
    most ? most * 1.08 : 1,
  ];

  // Without those that would be cut at the edge.
  const timeNames = (plot: uPlot, times: number[], _: number, __: number, step: number) => {
    const room = plot.width - AXIS_WIDTH - PADDING;
    return tickNames(times, step).map((name, at) => {
      const middle = (((times[at] ?? 0) - data.from) / (data.to - data.from)) * room;
      return middle + widthOf(name) / 2 > room + PADDING ? '' : name;
    });
  };

  // The tallest is drawn first, and the lower ones over it.
  const fills = stackFills(ink);
  const stacked = [...data.stacked].reverse();
  const bars = uPlot.paths.bars?.({ size: [0.86, 60], gap: 1 });
  const upper = new uPlot(
    {
      ...(latency
        ? common(REQUESTS_HEIGHT, { size: 10, values: () => [] }, wholeCount)
        : common(LOW_HEIGHT, { values: timeNames }, wholeCount)),
      scales: { x, y: { range: fromZero } },
      series: [
        {},
        ...[...fills].reverse().map((fill) => ({
          fill: () => fill,
          ...(bars ? { paths: bars } : {}),
          points: { show: false },
        })),
      ],
    },
    [data.times, ...stacked],
    requests,
  );
  const plots = [upper];
  const line = { width: 1.5, spanGaps: false, points: { show: true, size: 4, filter: alone } };
  if (latency) {
    const lower = new uPlot(
      {
        ...common(LATENCY_HEIGHT, { values: timeNames }, (value) =>
          value === 0 ? '0' : duration(value),
        ),
        scales: { x, y: { range: fromZero } },
        series: [{}, { ...line, stroke: ink.accent }, { ...line, stroke: ink.info, dash: dashed }],
      },
      [data.times, data.p50, data.p95],
      latency,
    );
    plots.push(lower);
  }
  const room = new ResizeObserver(() => {
    for (const plot of plots) {
      if (requests.clientWidth > 0 && requests.clientWidth !== plot.width) {
        plot.setSize({ width: requests.clientWidth, height: plot.height });
      }
    }
  });
  room.observe(requests);
  return () => {
    room.disconnect();
    for (const plot of plots) plot.destroy();
  };
}

/** The width of a name in pixels, that of its longest line. */
function measure(font: string): (name: string) => number {
  const pen = document.createElement('canvas').getContext('2d');
  if (pen) pen.font = font;
  return (name) => Math.max(...name.split('\n').map((line) => pen?.measureText(line).width ?? 0));
}

const wholeCount = (value: number): string => (Number.isInteger(value) ? count(value) : '');

/** Values without a neighbour, which no line connects. */
function alone(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? [];
  return [...values.keys()].filter(
    (at) => values[at] != null && values[at - 1] == null && values[at + 1] == null,
  );
}
