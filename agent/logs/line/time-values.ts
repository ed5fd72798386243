/**
 * Times and durations in every format of Caddy's log encoder: the agent's own logger writes seconds,
 * but the file may hold lines of a logger that was configured by hand. No format names its unit, so
 * numbers are distinguished by size and texts by shape.
 */

/**
 * A count of seconds stays below 1e11 until the year 5138; counts of milliseconds, microseconds and
 * nanoseconds have been above the respective bound since 1973.
 */
const [SECONDS_BELOW, MILLIS_BELOW, MICROS_BELOW] = [1e11, 1e14, 1e17] as const;

/**
 * No request takes Caddy less than 10 µs, and a duration in seconds is a whole number only by
 * chance: a whole number from here on is nanoseconds.
 */
const NANOS_FROM = 10_000;

/** ISO 8601, RFC 3339 and Caddy's `wall`; without a zone it is UTC, Caddy's default. */
const DATE_FIRST =
  /^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d+))?\s*(?:Z|UTC|([+-]\d\d):?(\d\d))?$/i;
/** Caddy's `common_log`. */
const DAY_FIRST = /^(\d\d)\/([a-z]{3})\/(\d{4}):(\d\d:\d\d:\d\d [+-]\d{4})$/i;

/** Milliseconds since 1970, truncated as Go's layouts are; undefined if the value is not a time. */
export function parseTime(value: unknown): number | undefined {
  const ms =
    typeof value === 'number'
      ? timeOfNumber(value)
      : typeof value === 'string'
        ? timeOfText(value.trim())
        : Number.NaN;
  return Math.abs(ms) <= 8.64e15 ? ms : undefined;
}

function timeOfNumber(value: number): number {
  const size = Math.abs(value);
  if (size < SECONDS_BELOW) return secondsToMs(value);
  if (size < MILLIS_BELOW) return Math.floor(value);
  return Math.floor(value / (size < MICROS_BELOW ? 1e3 : 1e6));
}

// By digits: `.62` times 1000 may round down to 619, and `.7289999` up to 729.
function secondsToMs(seconds: number): number {
  const text = String(seconds);
  if (text.includes('e')) return Math.trunc(seconds * 1000);
  const [whole, fraction] = text.split('.');
  return Number(whole + millis(fraction));
}

const millis = (fraction = ''): string => fraction.padEnd(3, '0').slice(0, 3);

function timeOfText(text: string): number {
  const [, year, month, day, clock, fraction, hours = '+00', minutes = '00'] =
    DATE_FIRST.exec(text) ?? [];
  if (!year) return Date.parse(text.replace(DAY_FIRST, '$1 $2 $3 $4'));
  return Date.parse(`${year}-${month}-${day}T${clock}.${millis(fraction)}${hours}:${minutes}`);
}

const GO_DURATION = /^[+-]?(?:\d*\.?\d+(?:[nuµμm]?s|m|h))+$/;
/** In milliseconds. Go prints the micro sign, and reads the Greek letter too. */
const GO_UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 3.6e6,
};

/**
 * A duration in milliseconds: seconds as a number (the default), nanoseconds as a whole number of at
 * least 10,000, or Go's text (`1m2.5s`). Milliseconds as a bare number look like seconds and are read
 * as such. Anything else is 0.
 */
export function parseDuration(value: unknown): number {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return 0;
    if (Number.isInteger(value) && Math.abs(value) >= NANOS_FROM) return value / 1e6;
    return value * 1000;
  }
  if (typeof value !== 'string' || !GO_DURATION.test(value)) return 0;
  let sum = 0;
  for (const [, amount, unit = ''] of value.matchAll(/([\d.]+)([^\d.]+)/g)) {
    sum += Number(amount) * (GO_UNITS[unit] ?? 0);
  }
  return value.startsWith('-') ? -sum : sum;
}
