/** Classes of HTTP status, and their names for those who do not see a colour. Pure. */
import type { StatusClass } from './types.ts';

const BY_HUNDRED: readonly (StatusClass | undefined)[] = [
  undefined,
  '1xx',
  '2xx',
  '3xx',
  '4xx',
  '5xx',
];

export const classOf = (status: number): StatusClass =>
  BY_HUNDRED[Math.floor(status / 100)] ?? 'other';

/** RFC 9110 15, in short. */
export const CLASS_WORDS: Readonly<Record<StatusClass, string>> = {
  '1xx': 'information',
  '2xx': 'success',
  '3xx': 'redirect',
  '4xx': 'client error',
  '5xx': 'server error',
  other: 'no usual status',
};
