/** Which sites have icons, known once for all pages. */
import { useEffect, useState } from 'preact/hooks';
import { get } from './api.ts';

type Icons = ReadonlyMap<number, string>;

const EVERY_MS = 300_000;

let known: Icons = new Map();
let loadedAt = Number.NEGATIVE_INFINITY;
const listeners = new Set<(icons: Icons) => void>();

/** The versions of the icons by the ids of their sites, loaded again by whoever is shown minutes later. */
export function useIcons(): Icons {
  const [icons, setIcons] = useState(known);
  useEffect(() => {
    listeners.add(setIcons);
    setIcons(known);
    void load();
    return () => {
      listeners.delete(setIcons);
    };
  }, []);
  return icons;
}

/** Failures are ignored: each site has a letter. */
async function load(): Promise<void> {
  if (performance.now() < loadedAt + EVERY_MS) return;
  loadedAt = performance.now();
  const all = await get<{ id: number; version: string }[]>('/vhosts/icons').catch(() => []);
  known = new Map(all.map(({ id, version }) => [id, version]));
  for (const listener of listeners) listener(known);
}
