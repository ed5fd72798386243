/** What a hub makes of a Caddyfile that is imported. */
import type { HubHalf } from '../../hub/core.ts';
import { createImporter, createReadImport } from './importer.ts';
import { importRoutes } from './routes.ts';

export const hub: HubHalf = ({ publisher, importDirs, now }) => {
  const readImport = createReadImport(importDirs);
  const importer = createImporter({ publisher, readImport, now });
  return { routes: (api) => importRoutes({ ...api, importer }) };
};
