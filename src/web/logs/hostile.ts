/** Makes text from strangers safe to show: nothing invisible, nothing reordered, not too long. Pure. */

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
