/** What a hub knows of any moment. */
import type { HubHalf } from '../../hub/core.ts';
import { historyRoutes } from './routes.ts';

export const hub: HubHalf = () => ({ routes: historyRoutes });
