/** What a hub makes of a document of sites and policies. */
import type { HubHalf } from '../../hub/core.ts';
import { applyRoutes } from './routes.ts';

export const hub: HubHalf = () => ({
  routes: applyRoutes,
  toYaml: async (...what) => (await import('./export.ts')).exportYaml(...what),
});
