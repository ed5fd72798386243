/** The icon of a site: a tile with the first letter of its name. */
import { hueStyle } from '../lib/hue.ts';

type Props = {
  site: { id: number; domain: string };
  /** Pixels. */
  size: 24 | 28 | 40;
};

/** Decorative: the name stands beside it. */
export function SiteIcon({ site: { domain }, size }: Props) {
  const name = domain.replace(/^https?:\/\//, '').replace(/^(?:\*|www)\./, '');
  return (
    <span
      class="site-icon hued"
      style={{
        ...hueStyle(name),
        width: `${size}px`,
        height: `${size}px`,
        fontSize: `${size / 2}px`,
      }}
      aria-hidden="true"
    >
      {letterOf(name)}
    </span>
  );
}

/** The first letter or digit; `·` of a site for any name. */
const letterOf = (name: string): string => /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? '·';
