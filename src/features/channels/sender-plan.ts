/** What a channel gets next, and when. Pure. */

import type { QuietHours } from '../../shared/events.ts';
import { growing } from '../../shared/every.ts';
import type { messages } from './tables.ts';

export type Waiting = Pick<
  typeof messages.$inferSelect,
  'id' | 'at' | 'dueAt' | 'attempts' | 'digest'
>;

/** `later`: not sent before `until`; `send`: sent as one message, as a digest if `isDigest`. */
type Plan =
  | { kind: 'nothing' }
  | { kind: 'later'; ids: number[]; until: Date }
  | { kind: 'send'; ids: number[]; isDigest: boolean };

/** In milliseconds; see `PACE` in `hub.ts`. */
export type SendPace = Readonly<{ firstPause: number; longestPause: number; window: number }>;

/** So many a minute are sent one by one. */
const MOST = 5;
/** By which pauses differ, so that hubs that lost the same receiver do not come back together. */
const JITTER = 0.2;

/** One that has failed so often lets the others go first: it may be its own fault. */
const OFTEN = 10;

const NOTHING: Plan = { kind: 'nothing' };

/**
 * @param waiting in the order in which they happened
 * @param sent when the channel got something within the last minute, once per message or digest
 */
export function planNext(
  waiting: readonly Waiting[],
  sent: readonly Date[],
  quiet: QuietHours | null,
  now: Date,
  pace: SendPace,
): Plan {
  const isOften = ({ attempts }: Waiting) => attempts >= OFTEN;
  const head = waiting.find((one) => !isOften(one)) ?? waiting[0];
  if (!head) return NOTHING;
  const end = quiet && endOfQuiet(now, quiet);
  const due = waiting.filter((one) => isDue(one, end, now, pace));
  if (!due.includes(head)) return NOTHING;
  const later = (until: Date): Plan => ({ kind: 'later', ids: due.map(({ id }) => id), until });
  if (end) return later(end);
  const lately = sent
    .filter((at) => at <= now && now.getTime() - at.getTime() < pace.window)
    .toSorted(byTime);
  const first = lately.at(-MOST);
  if (first) return later(new Date(first.getTime() + pace.window));
  // What may have arrived is sent again as what it was.
  if (head.digest !== null) {
    const same = waiting.filter(({ digest }) => digest === head.digest);
    return { kind: 'send', ids: same.map(({ id }) => id), isDigest: false };
  }
  const fresh = due.filter(({ attempts, digest }) => attempts === 0 && digest === null);
  const werePutOff = fresh.some(({ at, dueAt }) => dueAt > at);
  const isDigest = head.attempts === 0 && fresh.length > 1 && (fresh.length > MOST || werePutOff);
  const chosen = isDigest ? fresh : [head];
  return { kind: 'send', ids: chosen.map(({ id }) => id), isDigest };
}

/**
 * Whether its time has come. If the clock was set back, or quiet hours were changed, nothing waits for
 * a time that was right before.
 * @param end of the quiet hours; null: there are none now
 */
function isDue(
  { at, dueAt, attempts }: Waiting,
  end: Date | null,
  now: Date,
  { longestPause }: SendPace,
): boolean {
  const wasPutOff = attempts > 0 || dueAt.getTime() !== at.getTime();
  if (!wasPutOff || dueAt <= now) return true;
  return end === null && dueAt.getTime() - now.getTime() > longestPause;
}

const byTime = (a: Date, b: Date): number => a.getTime() - b.getTime();

/** Milliseconds until the next attempt. @param random from 0 to 1 */
export function pauseAfter(
  attempts: number,
  random: number,
  { firstPause, longestPause }: SendPace,
): number {
  const pause = growing(attempts, firstPause, longestPause / (1 + JITTER));
  return pause * (1 + JITTER * (2 * random - 1));
}

const MINUTE_MS = 60_000;
/** Longer than any quiet hours, also where a day has 25. */
const MOST_MINUTES = 26 * 60;

/**
 * The end of the quiet hours that `now` is in; null if it is in none. It looks at one minute after the
 * other, so that it is right where clocks are changed meanwhile.
 */
export function endOfQuiet(now: Date, { from, to, timeZone }: QuietHours): Date | null {
  const clock = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
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
