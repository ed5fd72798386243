/** The live state of a site, loaded again after each publish and now and then. */
import { useEffect, useRef } from 'preact/hooks';
import { get } from '../lib/api.ts';
import { useHub } from '../lib/hub.ts';
import type { SiteState } from '../lib/types.ts';
import { useEvery } from '../lib/use-every.ts';
import { type Loaded, useLoad } from '../lib/use-load.ts';

const EVERY_MS = 15_000;

export function useSiteState(id: number): Loaded<SiteState> {
  const { status } = useHub();
  const state = useLoad(`state ${id}`, (signal) => get<SiteState>(`/vhosts/${id}/state`, signal));
  const { reload } = state;
  useEvery(EVERY_MS, reload);
  const published = status ? (status.lastPublish?.at ?? '') : undefined;
  const seen = useRef(published);
  useEffect(() => {
    // The first one known is not newer than what was loaded.
    if (seen.current !== undefined && seen.current !== published) void reload();
    seen.current = published;
  }, [published, reload]);
  return state;
}
