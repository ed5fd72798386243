/** The bars of a sparkline. Pure. */

/** Units of the picture. */
export const WIDTH = 96;
export const HEIGHT = 24;

/** Bars in one path, so that two thousand of them stay light. */
export function barsPath(values: readonly number[], highest: number): string {
  const step = WIDTH / Math.max(1, values.length);
  return values
    .map((value, at) => {
      if (value === 0 || highest === 0) return '';
      // A single request must be seen beside a thousand.
      const height = Math.max(1.5, (value / highest) * HEIGHT);
      const x = (at * step).toFixed(1);
      return `M${x} ${HEIGHT}v-${height.toFixed(1)}h${(step * 0.8).toFixed(1)}v${height.toFixed(1)}z`;
    })
    .join('');
}
