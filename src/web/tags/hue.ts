/** The colour of a tag. Pure. */

/** Of the style sheet. */
const HUES = 8;

/** The number of its colour: the same wherever the tag is shown. */
export function hueOf(tag: string): number {
  let sum = 0;
  for (const character of tag) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_536;
  return sum % HUES;
}
