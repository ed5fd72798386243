/** Small plots: the bars of a row of numbers, as an SVG path. */

/** Of the SVG's view box. */
export const BARS_WIDTH = 96;
export const BARS_HEIGHT = 24;

/** One path for all bars, so that a list of two thousand sites stays fast. */
export function barsPath(values: readonly number[], highest: number): string {
  const step = BARS_WIDTH / Math.max(1, values.length);
  return values
    .map((value, at) => {
      if (value === 0 || highest === 0) return '';
      // A single request must be visible next to a thousand.
      const height = Math.max(1.5, (value / highest) * BARS_HEIGHT);
      const x = (at * step).toFixed(1);
      return `M${x} ${BARS_HEIGHT}v-${height.toFixed(1)}h${(step * 0.8).toFixed(1)}v${height.toFixed(1)}z`;
    })
    .join('');
}
