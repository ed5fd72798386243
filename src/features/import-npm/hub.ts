/** What a hub makes of the database of Nginx Proxy Manager. */
import type { HubHalf } from '../../hub/core.ts';
import { createSealedPairs } from '../../hub/model/sealed-pairs.ts';
import { createNpmImporter } from './npm/importer.ts';
import { importNpmRoutes } from './routes.ts';

export const hub: HubHalf = ({ publisher, sealing, now }) => {
  const { contentFor } = createSealedPairs(sealing);
  const importer = createNpmImporter({ publisher, contentFor, now });
  return { routes: (api) => importNpmRoutes({ ...api, importer }) };
};
