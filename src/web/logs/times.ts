/** Converts times between filters and inputs. Pure. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The shortcuts beside the inputs. */
export const QUICK_RANGES = [
  { label: 'Last hour', milliseconds: HOUR_MS },
  { label: '24 hours', milliseconds: 24 * HOUR_MS },
  { label: '7 days', milliseconds: 7 * 24 * HOUR_MS },
] as const;

export type Range = { from: string; to: string };

/** From `milliseconds` ago, in whole seconds, until now. */
export const since = (milliseconds: number, now: Date): Range => ({
  from: new Date(Math.floor((now.getTime() - milliseconds) / 1000) * 1000).toISOString(),
  to: '',
});

/** The minute that contains a time; undefined if it is not a time. */
export function minuteOf(iso: string): Range | undefined {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return undefined;
  const start = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  return {
    from: new Date(start).toISOString(),
    to: new Date(start + MINUTE_MS).toISOString(),
  };
}

/** The value of a `datetime-local` input: local time to the second; '' if it is not a time. */
export function toLocalInput(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [
    String(at.getFullYear()).padStart(4, '0'),
    two(at.getMonth() + 1),
    two(at.getDate()),
  ].join('-');
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** The reverse: ISO 8601 in UTC; '' for an empty input, undefined if it is not a time. */
export function fromLocalInput(text: string): string | undefined {
  if (text === '') return '';
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
