/** A progress line on a terminal; writes none anywhere else. */

/** The part of `process.stderr` that is used. */
type Terminal = {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write: (text: string) => unknown;
};

export type Progress = {
  /**
   * `label [####------] 40%  12 MB of 30 MB`
   * @param figure how to write `done` and `total`, which are otherwise bytes
   */
  bar: (label: string, done: number, total: number, figure?: (value: number) => string) => void;
  /** `label | 3 s` until `work` settles, if its progress is unknown. */
  during: <T>(label: string, work: Promise<T>) => Promise<T>;
  /**
   * Clears the line and writes other text to the same terminal; the line comes back when it is next
   * drawn. With `''`, only clears it.
   */
  print: (text: string) => void;
  /** Clears the line. A new one starts its clock again. */
  end: () => void;
};

/** Work that is done sooner shows nothing. */
const DELAY_MS = 200;
/** At most ten redraws a second. */
const DRAW_MS = 100;
const LONGEST_BAR = 40;
/** If a terminal does not report its width. */
const USUAL_COLUMNS = 80;
const SPINNER = '|/-\\';

/**
 * @param now a monotonic clock, in milliseconds
 * @param every calls `tick` repeatedly; returns a function that stops it
 */
export function createProgress(
  terminal: Terminal,
  now: () => number,
  every: (milliseconds: number, tick: () => void) => () => void,
): Progress {
  /** How many columns the line on the screen takes. */
  let shown = 0;
  let begun: number | null = null;
  let drawn = Number.NEGATIVE_INFINITY;

  function clear(): void {
    // Blanks and carriage returns work on any terminal, unlike escape sequences.
    if (shown > 0) terminal.write(`\r${' '.repeat(shown)}\r`);
    shown = 0;
  }

  function draw(line: (columns: number, elapsed: number) => string): void {
    if (terminal.isTTY !== true) return;
    const at = now();
    begun ??= at;
    if (at - begun < DELAY_MS || at - drawn < DRAW_MS) return;
    drawn = at;
    // The last column stays free: writing to it makes some terminals wrap.
    const columns = (terminal.columns || USUAL_COLUMNS) - 1;
    const text = line(columns, at - begun).slice(0, Math.max(0, columns));
    const rest = Math.max(0, Math.min(shown, columns) - text.length);
    terminal.write(`\r${text}${' '.repeat(rest)}`);
    shown = text.length + rest;
  }

  function end(): void {
    clear();
    begun = null;
    drawn = Number.NEGATIVE_INFINITY;
  }

  return {
    bar: (label, done, total, figure = inBytes) =>
      draw((columns) => barLine(label, [done, total], figure, columns)),
    async during(label, work) {
      const tick = () =>
        draw((_columns, elapsed) => {
          const frame = SPINNER[Math.floor(elapsed / DRAW_MS) % SPINNER.length];
          return `${label} ${frame} ${Math.floor(elapsed / 1000)} s`;
        });
      tick();
      const stop = every(DRAW_MS, tick);
      try {
        return await work;
      } finally {
        stop();
        end();
      }
    },
    print(text) {
      clear();
      if (text !== '') terminal.write(text);
    },
    end,
  };
}

function barLine(
  label: string,
  [done, total]: readonly [number, number],
  figure: (value: number) => string,
  columns: number,
): string {
  // The file may have grown since its size was read.
  const part = total > 0 ? Math.min(1, done / total) : 1;
  const percent = `${Math.floor(part * 100)}%`.padStart(4);
  const figures = `${percent}  ${figure(Math.min(done, total))} of ${figure(total)}`;
  const room = Math.min(LONGEST_BAR, columns - label.length - figures.length - 4);
  if (room < 5) return `${label}${percent}`;
  const full = Math.floor(part * room);
  return `${label} [${'#'.repeat(full)}${'-'.repeat(room - full)}] ${figures}`;
}

/** `950 kB`, `12 MB`, `1.2 GB` */
function inBytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  if (bytes >= 1e6) return `${Math.floor(bytes / 1e6)} MB`;
  return `${Math.floor(bytes / 1e3)} kB`;
}
