/** A tag, in a colour that its text decides. */

/** Leads to the sites that have it. */
export const TagChip = ({ tag }: { tag: string }) => (
  <a class={`tag-chip hue-${hueOf(tag)}`} href={`/sites?tag=${encodeURIComponent(tag)}`}>
    {tag}
  </a>
);

/** Of the style sheet. */
const HUES = 8;

/** The number of its colour: the same wherever the tag is shown. */
export function hueOf(tag: string): number {
  let sum = 0;
  for (const character of tag) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_536;
  return sum % HUES;
}
