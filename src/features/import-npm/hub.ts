/** What a hub makes of the database of Nginx Proxy Manager; how, it loads with the first one. */
import type { HubHalf } from '../../hub/core.ts';
import { createSealedPairs } from '../../hub/model/sealed-pairs.ts';
import type { NpmImporter } from './npm/importer.ts';
import { importNpmRoutes } from './routes.ts';

export const hub: HubHalf = ({ publisher, sealing, now }) => {
  const { contentFor } = createSealedPairs(sealing);
  const importer: NpmImporter = {
    async run(...what) {
      const { createNpmImporter } = await import('./npm/importer.ts');
      return createNpmImporter({ publisher, contentFor, now }).run(...what);
    },
  };
  return { routes: (api) => importNpmRoutes({ ...api, importer }) };
};
