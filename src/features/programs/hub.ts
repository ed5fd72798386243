/** Shows, for a hub, the programs of its proxies, and changes them. */
import type { HubHalf } from '../../hub/core.ts';
import { programRoutes } from './routes.ts';

export const hub: HubHalf = () => ({ routes: programRoutes });
