/** The icons of sites, as a hub keeps and serves them. */
import type { HubHalf } from '../../hub/core.ts';
import { createIcons } from './icons.ts';
import { iconRoutes } from './routes.ts';

const HOUR_MS = 3_600_000;

/** Milliseconds. */
const PACE = {
  /** From one look for sites that were never asked to the next. */
  look: 60_000,
  /** Until a site that did not answer is asked again. */
  again: HOUR_MS,
  /** Until one that did is: programs seldom change their icons. */
  kept: 7 * 24 * HOUR_MS,
};

export const hub: HubHalf = (core) => {
  const icons = createIcons(core, core.paced('icons', PACE));
  return { routes: (api) => iconRoutes(api, icons), begin: icons.begin, end: icons.end };
};
