/** What a hub makes of a Caddyfile that is imported; how, it loads with the first one. */
import type { HubHalf } from '../../hub/core.ts';
import type { Importer } from './importer.ts';
import { importRoutes } from './routes.ts';

export const hub: HubHalf = ({ publisher, importDirs, now }) => {
  const importer: Importer = {
    async run(...what) {
      const { createImporter, createReadImport } = await import('./importer.ts');
      const readImport = createReadImport(importDirs);
      return createImporter({ publisher, readImport, now }).run(...what);
    },
  };
  return { routes: (api) => importRoutes({ ...api, importer }) };
};
