/** Shares of what went right, as small bars and in words: of a site's check, by the hour or day. */

/** @param bars shares from 0 to 1, oldest first; null: not known. The words beside them say the same */
export function ShareBars({ bars }: { bars: readonly (number | null)[] }) {
  const { right, wrong } = pathsOf(bars);
  return (
    <svg
      class="shares"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="good" fill="currentColor" d={right} />
      <path class="bad" fill="currentColor" d={wrong} />
    </svg>
  );
}

/** Of the view box of bars. */
const WIDTH = 96;
const HEIGHT = 24;

/** One path for what was right, and one for what was wrong, above it. */
export function pathsOf(bars: readonly (number | null)[]): { right: string; wrong: string } {
  const step = WIDTH / Math.max(1, bars.length);
  const width = (step * 0.75).toFixed(1);
  const draw = (part: (share: number) => [top: number, height: number]) =>
    bars
      .map((share, at) => {
        if (share === null) return '';
        const [top, height] = part(share);
        if (height === 0) return '';
        return `M${(at * step).toFixed(1)} ${top.toFixed(1)}h${width}v${height.toFixed(1)}h-${width}z`;
      })
      .join('');
  // One wrong answer must be visible among many right ones.
  const wrongOf = (share: number) => (share === 1 ? 0 : Math.max(HEIGHT / 4, (1 - share) * HEIGHT));
  return {
    right: draw((share) => [wrongOf(share), HEIGHT - wrongOf(share)]),
    wrong: draw((share) => [0, wrongOf(share)]),
  };
}

/** `100 %`, `99.93 %`; never rounded up to all of them. */
export function percentOf(share: number | null): string {
  if (share === null) return '–';
  return share === 1 ? '100 %' : `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}
