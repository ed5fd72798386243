/** Formats numbers and times for people. Pure. */

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `3 minutes ago`, `in 5 days`; within a minute `just now`. @param iso ISO 8601 */
export function ago(iso: string, now: Date): string {
  const seconds = (Date.parse(iso) - now.getTime()) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) < length) continue;
    // A token created just now for 90 days must not read `in 2 months`.
    return relative.format(
      seconds > 0 ? Math.round(seconds / length) : Math.trunc(seconds / length),
      unit,
    );
  }
  return 'just now';
}

/** Local time, `2026-11-21 10:34:17`; a text that is not a time stays as it is. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** `1,204`; from ten thousand up `12.3k`, `4.1M`. */
export function count(value: number): string {
  if (value < 10_000) return value.toLocaleString('en');
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
    .format(value)
    .replace('K', 'k');
}

/** A number of milliseconds with two digits or so: `0.8 ms`, `13 ms`, `1.2 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}

/** `1 site`, `2 sites`. */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** Local time, `2026-11-21 10:34`. @param iso ISO 8601 */
export const clockTime = (iso: string): string => localTime(iso).slice(0, 16);
