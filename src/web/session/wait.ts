/** How long a throttle asks to wait. */
import { ApiError } from '../lib/api.ts';
import { plural } from '../lib/format.ts';

/** A sentence with the time; null where the error is no throttle. */
export function waitOf(error: unknown): string | null {
  if (!(error instanceof ApiError) || error.code !== 'RATE_LIMITED') return null;
  const seconds = error.retryAfter ?? 60;
  const time = seconds < 90 ? plural(seconds, 'second') : plural(Math.ceil(seconds / 60), 'minute');
  return `Too many attempts. Try again in ${time}.`;
}
