/** Medians, ratios and Markdown tables. */

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** The milliseconds one call took. */
export async function timed(call: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await call();
  return performance.now() - from;
}

export const ms = (value: number): string => (value < 100 ? value.toFixed(1) : value.toFixed(0));
export const ratio = (value: number, to: number): string => `${(value / to).toFixed(2)}×`;

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  console.log(line(head));
  console.log(`|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  for (const row of rows) console.log(line(row));
  console.log('');
}

export const ROUNDS = 300;

/** p50 and p99 of how long some work takes, in ms. */
export async function percentiles(
  work: () => Promise<unknown>,
  rounds = ROUNDS,
): Promise<[p50: number, p99: number]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await timed(work));
  return sortedPercentiles(times);
}

/** Sorts the times. */
export function sortedPercentiles(times: number[]): [p50: number, p99: number] {
  times.sort((a, b) => a - b);
  return [times[times.length >> 1] ?? 0, times[Math.floor(times.length * 0.99)] ?? 0];
}
