/** One line on a terminal that tells how far something is; nothing anywhere else. */

/** What `process.stderr` is to it. */
export type Terminal = {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write: (text: string) => unknown;
};

export type Progress = {
  /** `label [####------] 40%  12 MB of 30 MB`, in bytes; drawn ten times a second at most. */
  bar: (label: string, done: number, total: number) => void;
  /** `label | 3 s`, for what cannot say how far it is, until `work` is settled. */
  during: <T>(label: string, work: Promise<T>) => Promise<T>;
  /**
   * Writes other text to the same terminal, whole; the line comes back when it is drawn next. With
   * no text it only makes room for what is written elsewhere.
   */
  print: (text: string) => void;
  /** Takes the line away; the next one is a new beginning. */
  end: () => void;
};

export type ProgressDeps = {
  terminal: Terminal;
  /** Milliseconds that only grow. */
  now: () => number;
  /** Calls again and again; returns what stops that. */
  every: (milliseconds: number, tick: () => void) => () => void;
};

/** What is over before that is not shown at all. */
const LATE_MS = 200;
const DRAW_MS = 100;
const LONGEST_BAR = 40;
/** Where a terminal does not say how wide it is. */
const USUAL_COLUMNS = 80;
const SPINNER = '|/-\\';

export function createProgress({ terminal, now, every }: ProgressDeps): Progress {
  /** How many columns the line on the screen takes. */
  let shown = 0;
  let begun: number | null = null;
  let drawn = Number.NEGATIVE_INFINITY;

  function clear(): void {
    // Blanks and carriage returns: they work on any terminal, colours and escapes are for others.
    if (shown > 0) terminal.write(`\r${' '.repeat(shown)}\r`);
    shown = 0;
  }

  function draw(line: (columns: number, elapsed: number) => string): void {
    if (terminal.isTTY !== true) return;
    const at = now();
    begun ??= at;
    if (at - begun < LATE_MS || at - drawn < DRAW_MS) return;
    drawn = at;
    // The last column stays free: some terminals go to the next line when it is written.
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
    bar: (label, done, total) => draw((columns) => barLine(label, done, total, columns)),
    async during(label, work) {
      const tick = () =>
        draw((_columns, elapsed) => {
          const sign = SPINNER[Math.floor(elapsed / DRAW_MS) % SPINNER.length];
          return `${label} ${sign} ${Math.floor(elapsed / 1000)} s`;
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

function barLine(label: string, done: number, total: number, columns: number): string {
  // What is measured may have grown since its size was taken.
  const part = total > 0 ? Math.min(1, done / total) : 1;
  const percent = `${Math.floor(part * 100)}%`.padStart(4);
  const figures = `${percent}  ${inWords(Math.min(done, total))} of ${inWords(total)}`;
  const room = Math.min(LONGEST_BAR, columns - label.length - figures.length - 4);
  if (room < 5) return `${label}${percent}`;
  const full = Math.floor(part * room);
  return `${label} [${'#'.repeat(full)}${'-'.repeat(room - full)}] ${figures}`;
}

/** `950 kB`, `12 MB`, `1.2 GB` */
function inWords(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  if (bytes >= 1e6) return `${Math.floor(bytes / 1e6)} MB`;
  return `${Math.floor(bytes / 1e3)} kB`;
}
