/**
 * Times and durations in every notation Caddy's log encoder can be told to use. None of them
 * names its unit, so a number is told by its size and a text by its form.
 */

// A bare count of seconds stays under 1e11 until the year 5138, and a count of milliseconds,
// microseconds or nanoseconds passes the next bound from 1973 on.
const SECONDS_BELOW = 1e11;
const MILLIS_BELOW = 1e14;
const MICROS_BELOW = 1e17;

// Caddy takes longer than 10 µs over any request, and a duration in seconds is a whole number
// only by accident: a whole number from here on is nanoseconds.
const NANOS_FROM = 10_000;

/** Milliseconds since 1970, cut (not rounded) to whole ones as Go's layouts do; else undefined. */
export function parseTime(value: unknown): number | undefined {
  const ms = typeof value === 'number' ? timeOfNumber(value) : timeOfText(value);
  return ms !== undefined && Math.abs(ms) <= 8.64e15 ? ms : undefined;
}

function timeOfNumber(value: number): number {
  const size = Math.abs(value);
  if (size < SECONDS_BELOW) return secondsToMs(value);
  if (size < MILLIS_BELOW) return Math.floor(value);
  return Math.floor(value / (size < MICROS_BELOW ? 1e3 : 1e6));
}

// In the digits, because a product of `.62` may fall to 619 and one of `.7289999` rise to 729.
function secondsToMs(seconds: number): number {
  const text = String(seconds);
  if (text.includes('e')) return Math.trunc(seconds * 1000);
  const [whole = '', fraction = ''] = text.split('.');
  return Number(whole + fraction.padEnd(3, '0').slice(0, 3));
}

// ISO 8601, RFC 3339 and Caddy's `wall` (2006/01/02 15:04:05); without a zone it is UTC, which
// Caddy writes unless `time_local` is set.
const DATE_FIRST =
  /^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?\s*(?:Z|UTC|([+-])(\d\d):?(\d\d))?$/i;
// Caddy's `common_log`: 02/Jan/2006:15:04:05 -0700.
const DAY_FIRST = /^(\d\d)\/([a-z]{3})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})$/i;

function timeOfText(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const found = DATE_FIRST.exec(text);
  if (found) {
    const [, year, month, day, hour, minute, second, fraction = '', sign, zh, zm] = found;
    const ms = Number(fraction.padEnd(3, '0').slice(0, 3));
    const utc = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    if (Number.isNaN(utc)) return undefined;
    const zone = sign ? (Number(zh) * 60 + Number(zm)) * (sign === '-' ? -60_000 : 60_000) : 0;
    return utc + ms - zone;
  }
  const common = DAY_FIRST.exec(text);
  const other = common
    ? Date.parse(`${common[1]} ${common[2]} ${common[3]} ${common[4]} ${common[5]}`)
    : Date.parse(text);
  return Number.isNaN(other) ? undefined : other;
}

const GO_UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // micro sign, which Go prints
  μs: 1e-3, // Greek mu
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 3.6e6,
};

/**
 * A duration in milliseconds: seconds as a number (the default), nanoseconds as a whole number
 * of at least 10 000, or Go's text (`1m2.5s`). Milliseconds as a bare number cannot be told from
 * seconds and are taken for those. Anything else is 0.
 */
export function parseDuration(value: unknown): number {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return 0;
    if (Number.isInteger(value) && Math.abs(value) >= NANOS_FROM) return value / 1e6;
    return value * 1000;
  }
  if (typeof value !== 'string' || !/^[+-]?(?:\d*\.?\d+[a-zµμ]+)+$/.test(value)) return 0;
  let sum = 0;
  for (const [, amount, unit = ''] of value.matchAll(/(\d*\.?\d+)([a-zµμ]+)/g)) {
    const scale = GO_UNITS[unit];
    if (scale === undefined) return 0;
    sum += Number(amount) * scale;
  }
  return value.startsWith('-') ? -sum : sum;
}
