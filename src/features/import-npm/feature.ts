/** Moves the sites of Nginx Proxy Manager in, from its database. */
import type { Feature } from '../../feature.ts';

export const importNpm: Feature = {
  name: 'import-npm',
  // Uploaded certificates that it takes along are kept: people see, replace and delete them there.
  needs: ['import', 'certificates'],
  importers: async (questions) => [(await import('./cli/importer.ts')).npm(questions)],
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
};
