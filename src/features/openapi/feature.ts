/** The description of the API, as an OpenAPI document and as a page. */
import type { Feature } from '../../feature.ts';

export const openapi: Feature = {
  name: 'openapi',
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
};
