/** When a channel is quiet, by the clocks of its time zone. Pure. */
import type { QuietHours } from '../../shared/events.ts';

const MINUTE_MS = 60_000;
/** Longer than any quiet hours, also where a day has 25. */
const MOST_MINUTES = 26 * 60;

/**
 * The end of the quiet hours that `now` is in; null if it is in none. It looks at one minute after the
 * other, so that it is right where clocks are changed meanwhile.
 */
export function endOfQuiet(now: Date, { from, to, timeZone }: QuietHours): Date | null {
  const clock = new Intl.DateTimeFormat('en-GB', {
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone },
  });
  const isQuiet = (at: Date): boolean => {
    const time = clock.format(at);
    return from < to ? from <= time && time < to : from !== to && (time >= from || time < to);
  };
  if (!isQuiet(now)) return null;
  const first = Math.floor(now.getTime() / MINUTE_MS);
  for (let minute = first + 1; minute <= first + MOST_MINUTES; minute++) {
    const at = new Date(minute * MINUTE_MS);
    if (!isQuiet(at)) return at;
  }
  return null;
}
