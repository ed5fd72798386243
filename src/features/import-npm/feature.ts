/** Moves the sites of Nginx Proxy Manager in, from its database. */
import type { Feature } from '../../feature.ts';

export const importNpm: Feature = {
  name: 'import-npm',
  needs: ['import'],
  importers: async () => [(await import('./cli/importer.ts')).npm],
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
};
