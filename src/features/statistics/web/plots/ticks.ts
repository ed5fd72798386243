/** Where the grid of a plot has its lines, and what they are called. Pure. */

const HOUR = 3600;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;
const SIXTIETHS = [1, 2, 5, 10, 15, 30];

/** Seconds from line to line; multiples of MONTH stand for months. */
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((milliseconds) => milliseconds / 1000),
  ...SIXTIETHS,
  ...SIXTIETHS.map((minutes) => minutes * 60),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 3, 7, 14].map((days) => days * DAY),
  ...[1, 2, 3, 6, 12, 24, 60, 120].map((months) => months * MONTH),
];

/** Of a name, in pixels. */
export const widthOf = (name: string): number => name.length * 7.5;
/** Pixels between two names. */
const GAP = 24;

/**
 * Lines at full seconds, hours, days and so on of local time, as many as have room for their names.
 * @param from seconds since 1970, as is `to`
 * @param room pixels between the two
 * @returns seconds since 1970, and those from line to line
 */
export function timeTicks(from: number, to: number, room: number) {
  const fits = (one: number) => {
    const [name = ''] = tickNames([from], one).join().split('\n');
    return (one / (to - from)) * room >= widthOf(name) + GAP;
  };
  const step = STEPS.find(fits) ?? 120 * MONTH;
  const start = new Date(from * 1000);
  const [year, month, day] = [start.getFullYear(), start.getMonth(), start.getDate()];
  const local = from - start.getTimezoneOffset() * 60;
  // What overflows its unit is a later time of the calendar, also on days with 23 or 25 hours.
  const lineAt = (at: number): Date => {
    if (step < DAY) {
      const first = Math.floor((local % DAY) / step);
      return new Date(year, month, day, 0, 0, 0, Math.round((first + at) * step * 1000));
    }
    const many = step / (step < MONTH ? DAY : MONTH);
    return step < MONTH
      ? new Date(year, month, day - (Math.floor(local / DAY) % many) + at * many)
      : new Date(year, month - ((year * 12 + month) % many) + at * many);
  };
  const lines = Array.from({ length: Math.ceil((to - from) / step) + 2 }, (_, at) => lineAt(at));
  const times = lines.map((line) => line.getTime() / 1000);
  // The line of an hour that is left out in spring is at the next hour, where another may be near.
  const isApart = (time: number, at: number) => time - (times[at - 1] ?? 0) > step * 0.6;
  return { times: times.filter(isApart).filter((time) => time >= from && time <= to), step };
}

/**
 * The time of day, plus the date at the start of each day; only dates if a step is a day or more.
 * @param times seconds since 1970
 * @param step seconds between them
 */
export function tickNames(times: readonly number[], step: number): string[] {
  const two = (value: number) => String(value).padStart(2, '0');
  let before = '';
  return times.map((time) => {
    const at = new Date(time * 1000);
    const day = `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
    const date = day === before ? '' : day;
    before = day;
    if (step >= 300 * DAY) return String(at.getFullYear());
    if (step >= DAY) return day;
    const minute = `${two(at.getHours())}:${two(at.getMinutes())}`;
    const clock = step >= 60 ? minute : `${minute}:${two(at.getSeconds())}`;
    // Within a second, milliseconds matter and the date does not.
    if (step < 1) return `${clock}.${String(at.getMilliseconds()).padStart(3, '0')}`;
    return date === '' ? clock : `${clock}\n${date}`;
  });
}

/** Pixels between the names of values. */
const VALUE_SPACE = 20;

/**
 * Lines at round values, from 0 up.
 * @param most the value at the top
 * @param room pixels from 0 to the top
 * @param least from line to line
 */
export function valueTicks(most: number, room: number, least: number): number[] {
  const wanted = Math.max(least, (most / room) * VALUE_SPACE);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = power * ([1, 2, 5].find((one) => one * power >= wanted) ?? 10);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
}
