/** The shapes of a plot as SVG paths, in pixels. Pure. */

type Values = readonly (number | null)[];

/** A part of the plot with an axis of its own for values. */
export type Panel = {
  top: number;
  height: number;
  /** The value at the top; 0 is at the bottom. */
  most: number;
};

/** A little higher than the highest of its values. */
export function panelOf(top: number, height: number, values: Values): Panel {
  const highest = values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  return { top, height, most: highest * 1.08 || 1 };
}

/** From the top of the plot. */
export const yOf = ({ top, height, most }: Panel, value: number): number =>
  Math.round(top + height * (1 - value / most));

const WIDEST = 60;

/**
 * Stacked columns.
 * @param stacked for each layer, from the bottom, its values plus those of all layers below
 * @param middles of the columns
 * @param space from column to column
 * @returns a path for each layer
 */
export function columnsOf(
  stacked: readonly (readonly number[])[],
  middles: readonly number[],
  space: number,
  panel: Panel,
): string[] {
  const wide = Math.max(1, Math.min(WIDEST, Math.floor(space * 0.86)));
  const tops = middles.map(() => yOf(panel, 0));
  const columnOf = (at: number, sum: number, left: number): string => {
    const below = tops[at] ?? 0;
    // A single error must be visible on top of a thousand requests.
    tops[at] = Math.min(yOf(panel, sum), below - 1);
    return `M${left} ${below}V${tops[at]}h${wide}V${below}z`;
  };
  return stacked.map((sums, layer) =>
    middles
      .map((middle, at) => {
        const [sum = 0, lower = 0] = [sums[at], stacked[layer - 1]?.[at]];
        return sum === lower ? '' : columnOf(at, sum, Math.round(middle - wide / 2));
      })
      .join(''),
  );
}

/** A line with gaps where there is no value; a value without neighbours is a dash. */
export function lineOf(values: Values, middles: readonly number[], panel: Panel): string {
  const isKnown = (at: number) => (values[at] ?? null) !== null;
  return values
    .map((value, at) => {
      if (value === null) return '';
      const [x, y] = [Math.round(middles[at] ?? 0), yOf(panel, value)];
      if (isKnown(at - 1)) return `L${x} ${y}`;
      return isKnown(at + 1) ? `M${x} ${y}` : `M${x - 2} ${y}h4`;
    })
    .join('');
}
