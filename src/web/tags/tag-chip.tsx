/** A tag, in a colour that its text decides. */
import { hueOf } from './hue.ts';

/** Leads to the sites that have it. */
export const TagChip = ({ tag }: { tag: string }) => (
  <a class={`tag-chip hue-${hueOf(tag)}`} href={`/sites?tag=${encodeURIComponent(tag)}`}>
    {tag}
  </a>
);
