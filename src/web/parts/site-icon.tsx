/** The icon of a site: its own if the hub has it, else a tile with the first letter of its name. */
import { hueStyle } from '../lib/hue.ts';
import { useIcons } from '../lib/icons.ts';

type Props = {
  site: { id: number; domain: string };
  /** Pixels. */
  size: 24 | 28 | 40;
};

/** Decorative: the name stands beside it. */
export function SiteIcon({ site: { id, domain }, size }: Props) {
  const version = useIcons().get(id);
  const box = { width: `${size}px`, height: `${size}px`, fontSize: `${size / 2}px` };
  if (version !== undefined) {
    return (
      <img class="site-icon" style={box} src={`/api/vhosts/${id}/icon?version=${version}`} alt="" />
    );
  }
  const name = domain.replace(/^https?:\/\//, '').replace(/^(?:\*|www)\./, '');
  return (
    <span class="site-icon hued" style={{ ...hueStyle(name), ...box }} aria-hidden="true">
      {letterOf(name)}
    </span>
  );
}

/** The first letter or digit; `·` of a site for any name. */
const letterOf = (name: string): string => /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? '·';
