/** What a hub makes of the database of Nginx Proxy Manager. */
import { createSealedCertificates } from '../../hub/certificates/sealed.ts';
import type { HubHalf } from '../../hub/core.ts';
import { createNpmImporter } from './npm/importer.ts';
import { importNpmRoutes } from './routes.ts';

export const hub: HubHalf = ({ publisher, sealing, now }) => {
  const { contentFor } = createSealedCertificates(sealing);
  const importer = createNpmImporter({
    publisher,
    contentFor: (pair) => contentFor(pair, null),
    now,
  });
  return { routes: (api) => importNpmRoutes({ ...api, importer }) };
};
