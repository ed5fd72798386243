/** The classes of HTTP status, and their names for readers who cannot see the colour. Pure. */
import type { StatusClass } from '../lib/types.ts';

/** In the order of tables. */
export const CLASSES = [
  '1xx',
  '2xx',
  '3xx',
  '4xx',
  '5xx',
  'other',
] as const satisfies StatusClass[];

/** `other` for a status outside of 100–599, and for 499: the client left, which older Caddys log as 0. */
export const classOf = (status: number): StatusClass =>
  status >= 100 && status < 600 && status !== 499
    ? (CLASSES[Math.floor(status / 100) - 1] ?? 'other')
    : 'other';

/** RFC 9110, section 15, in short. */
export const CLASS_WORDS: Readonly<Record<StatusClass, string>> = {
  '1xx': 'informational',
  '2xx': 'success',
  '3xx': 'redirect',
  '4xx': 'client error',
  '5xx': 'server error',
  other: 'not a standard status',
};

/** The mark of a status class: its shape says as much as its colour. */
export const StatusMark = ({ name }: { name: StatusClass }) => (
  <span class={`status-mark class-${name}`} aria-hidden="true" title={CLASS_WORDS[name]} />
);
