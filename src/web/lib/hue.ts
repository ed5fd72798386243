/** A colour for a text: the same wherever the text is shown. */

/** How many colours there are. */
const HUES = 8;

/** The number of its colour. */
export function hueOf(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_536;
  return sum % HUES;
}

/** For an element of class `hued`. */
export const hueStyle = (text: string) => ({ '--hue': String(25 + (360 / HUES) * hueOf(text)) });
