/** The values of a request as they are shown: text from strangers, and classes of status. */
import type { StatusClass } from '../lib/types.ts';

// Control, invisible and direction-changing characters, and lone surrogates: shown as code points.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/gu;

const codePoint = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** At most the first `length` UTF-16 units, without splitting a surrogate pair. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? length - 1 : length);
}

/** Replaces characters that cannot be seen, such as U+202E, with their code point. */
export const visible = (text: string): string => text.replace(UNSEEN, codePoint);

/** Cut to `length`, with an ellipsis if anything is missing, and made visible. */
export function shown(text: string, length: number): string {
  const start = cut(text, length);
  return start.length < text.length ? `${visible(start)}…` : visible(start);
}

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
  <>
    <span class={`lamp class-${name}`} aria-hidden="true" title={CLASS_WORDS[name]} />{' '}
  </>
);
