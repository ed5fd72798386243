/** What strangers wrote, as something that can stand on a page: visible, short, in its own order. Pure. */

// Controls, invisible and direction-changing characters, and halves of pairs: shown by their number.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/gu;

const named = (sign: string): string =>
  `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** The first `length` characters at most, never half of a pair. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? length - 1 : length);
}

export const visible = (text: string): string => text.replace(UNSEEN, named);

/** Cut, with an ellipsis where something is missing, and made visible. */
export function shown(text: string, length: number): string {
  const start = cut(text, length);
  return start.length < text.length ? `${visible(start)}…` : visible(start);
}
