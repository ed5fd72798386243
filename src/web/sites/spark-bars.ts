/** Draws the bars of a sparkline as an SVG path. Pure. */

/** Of the SVG's view box. */
export const WIDTH = 96;
export const HEIGHT = 24;

/** One path for all bars, so that a list of two thousand sites stays fast. */
export function barsPath(values: readonly number[], highest: number): string {
  const step = WIDTH / Math.max(1, values.length);
  return values
    .map((value, at) => {
      if (value === 0 || highest === 0) return '';
      // A single request must be visible next to a thousand.
      const height = Math.max(1.5, (value / highest) * HEIGHT);
      const x = (at * step).toFixed(1);
      return `M${x} ${HEIGHT}v-${height.toFixed(1)}h${(step * 0.8).toFixed(1)}v${height.toFixed(1)}z`;
    })
    .join('');
}
