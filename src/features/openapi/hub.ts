/** The description of the hub's API. */
import type { HubHalf } from '../../hub/core.ts';
import { openapiRoutes } from './routes.ts';

export const hub: HubHalf = () => ({ routes: openapiRoutes });
