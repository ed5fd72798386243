/** A list of all sites to tick, with a search. */
import { useState } from 'preact/hooks';
import { plural } from '../lib/format.ts';
import type { Vhost } from '../lib/types.ts';
import { Tick } from '../parts/tick.tsx';

type Props = {
  sites: readonly Vhost[];
  picked: ReadonlySet<number>;
  onChange: (picked: ReadonlySet<number>) => void;
};

export function SitePicker({ sites, picked, onChange }: Props) {
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = sites.filter(({ domain, tags }) => {
    const text = [domain, ...tags].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const count = shown.filter(({ id }) => picked.has(id)).length;
  const pick = (some: readonly Vhost[], isPicked: boolean) => {
    const next = new Set(picked);
    for (const { id } of some) isPicked ? next.add(id) : next.delete(id);
    onChange(next);
  };
  return (
    <fieldset class="above below">
      <legend>Sites</legend>
      <input
        type="search"
        aria-label="Search these sites"
        placeholder="Name or tag"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <Tick
        disabled={shown.length === 0}
        checked={count > 0 && count === shown.length}
        indeterminate={count > 0 && count < shown.length}
        onTick={(isPicked) => pick(shown, isPicked)}
      >
        All shown
        <small role="status">
          {picked.size} of {plural(sites.length, 'site')} picked
        </small>
      </Tick>
      <ul class="scroll plain box">
        {shown.map((site) => (
          <li key={site.id}>
            <Tick checked={picked.has(site.id)} onTick={(isPicked) => pick([site], isPicked)}>
              <span>{site.domain}</span>
              {!site.enabled && <small class="muted">off</small>}
            </Tick>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="muted">No sites match.</p>}
    </fieldset>
  );
}

type MovesProps = {
  moves: { on: readonly number[]; off: readonly number[] };
  sites: readonly Vhost[];
};

/** The sites that get a policy, and those that lose it. */
export function Moves({ moves: { on, off }, sites }: MovesProps) {
  if (on.length + off.length === 0) return null;
  const named = (ids: readonly number[]) =>
    sites
      .filter(({ id }) => ids.includes(id))
      .map(({ domain }) => domain)
      .join(', ');
  return (
    <section class="above" aria-label="Sites that change" role="status">
      {on.length > 0 && (
        <p>
          <strong>Put on {on.length}:</strong> {named(on)}
        </p>
      )}
      {off.length > 0 && (
        <p>
          <strong>Taken off {off.length}:</strong> {named(off)}
        </p>
      )}
    </section>
  );
}
