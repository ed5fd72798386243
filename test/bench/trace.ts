/** What the browser's main thread did during an action, from Chromium's own tracing. */
import type { Page } from 'playwright-core';

type Task = {
  /** Milliseconds by the clock, whatever else the machine did in that time. */
  clock: number;
  /** Milliseconds of the thread's own work. */
  work: number;
  /** The longest parts of a long task. */
  spent: string;
};

type TraceEvent = {
  name: string;
  pid: number;
  tid: number;
  /** All three in microseconds. */
  ts: number;
  dur?: number;
  tdur?: number;
  args?: {
    data?: { functionName?: string; type?: string };
    chrome_mojo_event_info?: { mojo_interface_tag?: string };
  };
};

const CATEGORIES = [
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'blink.user_timing',
  'toplevel',
];
const MARK = 'signalbox-bench';
/** Milliseconds from which the parts of a task are named. */
const LONG_MS = 50;
const PARTS = new Set(
  'FunctionCall EventDispatch FireAnimationFrame TimerFire ParseHTML Layout UpdateLayoutTree PrePaint Paint Layerize Commit MajorGC MinorGC v8.compile v8.evaluateModule'.split(
    ' ',
  ),
);

/**
 * Tasks of the page's main thread during `act`, and until it is idle afterwards. Leaves out what the
 * bench itself causes, mostly by looking for elements: these are messages of a DevTools session,
 * which no user has. Key strokes and mouse events arrive as a user's do.
 */
export async function tasksOf(page: Page, act: () => Promise<unknown>): Promise<Task[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error('the page has no browser');
  await browser.startTracing(page, { categories: CATEGORIES });
  await act();
  await page.evaluate('new Promise((done) => requestIdleCallback(done, { timeout: 2000 }))');
  await page.evaluate(`void performance.mark('${MARK}')`);
  const trace = (await browser.stopTracing()).toString();
  return mainThread((JSON.parse(trace) as { traceEvents: TraceEvent[] }).traceEvents);
}

function mainThread(events: readonly TraceEvent[]): Task[] {
  // Chromium keeps a spare renderer: ours is the one that set the mark.
  const mark = events.findLast(({ name }) => name === MARK);
  if (!mark) throw new Error('the trace is incomplete');
  const own = events
    .filter(({ pid, tid, dur }) => pid === mark.pid && tid === mark.tid && dur)
    .sort((a, b) => a.ts - b.ts || endOf(b) - endOf(a));
  const tasks: Task[] = [];
  for (const [at, task] of own.entries()) {
    if (task.name !== 'RunTask') continue;
    const next = own.findIndex(({ ts }, other) => other > at && ts >= endOf(task));
    const inside = own.slice(at + 1, next === -1 ? own.length : next);
    if (inside.some(isFromBench)) continue;
    const clock = (task.dur ?? 0) / 1000;
    const spent = clock < LONG_MS ? '' : longestOf(inside);
    tasks.push({ clock, work: (task.tdur ?? 0) / 1000, spent });
  }
  return tasks;
}

const endOf = ({ ts, dur = 0 }: TraceEvent): number => ts + dur;

const isFromBench = ({ args }: TraceEvent): boolean =>
  args?.chrome_mojo_event_info?.mojo_interface_tag?.includes('DevToolsSession') ?? false;

const longestOf = (parts: readonly TraceEvent[]): string =>
  parts
    .filter(({ name }) => PARTS.has(name))
    .sort((a, b) => (b.dur ?? 0) - (a.dur ?? 0))
    .slice(0, 4)
    .map(({ name, dur = 0, args }) => {
      const what = args?.data?.functionName ?? args?.data?.type ?? '';
      return `${name}${what && ` ${what}`} ${(dur / 1000).toFixed(0)}`;
    })
    .join(', ');
