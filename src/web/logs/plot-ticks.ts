/** Labels for the time axis, in local time. Pure. */

const DAY = 86_400;

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
