/** The wall: a tile for each site, those that fail first. */
import { Icon } from '../parts/icon.tsx';
import { SiteIcon } from '../parts/site-icon.tsx';
import { Strip, useStrips } from '../parts/strip.tsx';
import { endingNow, type StripProps } from '../parts/strip-words.ts';
import { withBreaks } from '../sites/labels.tsx';
import { type Tile, worstTilesFirst } from './answer.ts';

/** More do not fit on a screen. */
const MOST = 60;

export function Wall({ tiles }: { tiles: readonly Tile[] }) {
  const strips = useStrips('day');
  const more = tiles.length - MOST;
  return (
    <section aria-label="Sites">
      <ul class="wall plain">
        {worstTilesFirst(tiles)
          .slice(0, MOST)
          .map((tile) => (
            <WallTile key={tile.site.id} tile={tile} strip={strips.get(tile.site.id)} />
          ))}
      </ul>
      {more > 0 && <a href="/sites">All {tiles.length} sites</a>}
    </section>
  );
}

type TileProps = { tile: Tile; strip: StripProps | undefined };

const WallTile = ({ tile: { site, health }, strip }: TileProps) => (
  <li>
    <a
      class="wall-tile card"
      href={`/sites/${site.id}`}
      title={[site.domain, health.text].filter(Boolean).join(': ')}
    >
      <SiteIcon site={site} size={28} />
      <span class="name">{withBreaks(site.domain.replace(/^https?:\/\//, ''))}</span>
      <span class={`wall-state health-${health.level} tiny cut`}>
        <Icon name={health.level} /> {health.label}
      </span>
      {strip && <Strip {...endingNow(strip, health.level === 'bad')} />}
    </a>
  </li>
);
