/** A tag, in a colour that its text decides. */

/** How many colours there are. */
const HUES = 8;

/** Leads to the sites that have it. */
export const TagChip = ({ tag }: { tag: string }) => (
  <a
    class="tag-chip cut"
    style={{ '--hue': String(25 + (360 / HUES) * hueOf(tag)) }}
    href={`/sites?tag=${encodeURIComponent(tag)}`}
  >
    {tag}
  </a>
);

/** The number of its colour: the same wherever the tag is shown. */
export function hueOf(tag: string): number {
  let sum = 0;
  for (const character of tag) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_536;
  return sum % HUES;
}
