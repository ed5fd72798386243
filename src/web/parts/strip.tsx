/** A site's last day or month at a glance: sixty bars of how it answered, with its changes above them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { poll } from '../lib/api.ts';
import type { VhostStrips } from '../lib/types.ts';
import { useEvery } from '../lib/use-load.ts';
import { barsIn, barWords, type StripProps, stripWords } from './strip-words.ts';

/** By letter: a class, and where its bar is in the view box, so that no state is known by its colour alone. */
const LOOKS: Readonly<Record<string, { look: string; top: number; height: number }>> = {
  u: { look: 'strip-up', top: 8, height: 16 },
  n: { look: 'strip-none', top: 21, height: 3 },
  f: { look: 'strip-failing', top: 3, height: 21 },
  '?': { look: 'strip-unknown', top: 14, height: 4 },
  o: { look: 'strip-off', top: 23, height: 1 },
};

/** Of the view box; a bar leaves a quarter of its step free. */
const STEP = 4;
const BAR = 3;
const HEIGHT = 24;

export function Strip(strip: StripProps) {
  const { bars, changes } = strip;
  const words = stripWords(strip);

  /** One title for all bars: an element for each would make a long list slow. */
  function nameBar({ currentTarget, clientX }: PointerEvent & { currentTarget: SVGElement }): void {
    const { left, width } = currentTarget.getBoundingClientRect();
    const at = Math.floor(((clientX - left) / width) * bars.length);
    const title = currentTarget.firstElementChild;
    if (title && at >= 0 && at < bars.length) title.textContent = barWords(strip, at);
  }

  return (
    <svg
      class="strip"
      viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={words}
      onPointerMove={nameBar}
    >
      <title>{words}</title>
      {Object.entries(LOOKS).map(([letter, { look, top, height }]) => {
        const path = pathOf(barsIn(bars, letter), top, height);
        return path !== '' && <path key={letter} class={look} d={path} />;
      })}
      {changes.length > 0 && <path class="strip-change" d={pathOf(changes, 0, 2)} />}
    </svg>
  );
}

/** One path for all bars of a state. */
const pathOf = (places: readonly number[], top: number, height: number): string =>
  places.map((at) => `M${at * STEP} ${top}h${BAR}v${height}h-${BAR}z`).join('');

/** What a strip can show. */
export const SPANS = [
  ['day', '24 h'],
  ['month', '30 days'],
] as const;

const LABELS = { day: 'Last 24 hours', month: 'Last 30 days' };
const EVERY_MS = 60_000;

/** The strips of all sites by their ids, loaded again every minute; none until they are known. */
export function useStrips(span: VhostStrips['span']): ReadonlyMap<number, StripProps> {
  const [strips, setStrips] = useState<ReadonlyMap<number, StripProps>>(new Map());
  const running = useRef<AbortController>(undefined);
  const etag = useRef<string>(undefined);

  async function load(): Promise<void> {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    const answer = await poll<VhostStrips>(`/vhosts/strips?span=${span}`, etag.current, own.signal);
    if (!answer.body || own.signal.aborted) return;
    const { from, to, strips } = answer.body;
    etag.current = answer.etag;
    const label = LABELS[span];
    setStrips(
      new Map(strips.map(({ id, bars, changes }) => [id, { bars, changes, label, from, to }])),
    );
  }

  // Failures are ignored: pages work without this, and the status says what does not answer.
  const loadQuietly = () => void load().catch(() => {});
  useEffect(() => {
    etag.current = undefined;
    loadQuietly();
    return () => running.current?.abort();
  }, [span]);
  useEvery(EVERY_MS, loadQuietly);
  return strips;
}
