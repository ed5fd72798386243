/** What a strip of bars says: which letter is which state, and all of it in words. Pure. */
import { localTime, plural } from '../lib/format.ts';

export type StripProps = {
  /** A letter of `STATES` a bar, oldest first. */
  bars: string;
  /** The bars in which the site was changed. */
  changes: readonly number[];
  /** What all bars are of, such as `Last 24 hours`. */
  label: string;
  /** Begin of the first bar and end of the last one, ISO 8601. */
  from: string;
  to: string;
};

/** By letter, the best first. */
const STATES: Readonly<Record<string, string>> = {
  u: 'up',
  n: 'no requests',
  f: 'failing',
  '?': 'not known',
  o: 'off or not there yet',
};

type Bars = Omit<StripProps, 'label'>;

/** The numbers of the bars in a state. */
export const barsIn = (bars: string, letter: string): number[] =>
  Array.from(bars).flatMap((one, at) => (one === letter ? at : []));

function beginOf({ bars, from, to }: Bars, at: number): string {
  const [first, end] = [Date.parse(from), Date.parse(to)];
  const begin = first + ((end - first) * at) / bars.length;
  return localTime(new Date(begin).toISOString()).slice(0, 16);
}

/** What is so now ends the strip, even if no request or check of its last bar has noticed. */
export const endingNow = (strip: StripProps, isFailing: boolean): StripProps =>
  isFailing ? { ...strip, bars: `${strip.bars.slice(0, -1)}f` } : strip;

/** `2026-11-21 10:24 to 2026-11-21 10:48: failing, changed`. @param at the number of the bar */
export function barWords(strip: Bars, at: number): string {
  const state = STATES[strip.bars[at] ?? '?'];
  const changed = strip.changes.includes(at) ? ', changed' : '';
  return `${beginOf(strip, at)} to ${beginOf(strip, at + 1)}: ${state}${changed}`;
}

/** `Last 24 hours: failing in 2 of 60 spans, last from 2026-11-21 10:24; 3 changes`. */
export function stripWords({ label, ...strip }: StripProps): string {
  const { bars, changes } = strip;
  const failing = barsIn(bars, 'f');
  const last = failing.at(-1);
  const best = Object.keys(STATES).find((letter) => bars.includes(letter)) ?? '?';
  const state =
    last === undefined
      ? STATES[best]
      : `failing in ${failing.length} of ${bars.length} spans, last from ${beginOf(strip, last)}`;
  return `${label}: ${state}${changes.length > 0 ? `; ${plural(changes.length, 'change')}` : ''}`;
}
