/** Takes over a Caddyfile that somebody else wrote: proves that it means the same, and merges it with what is there. */
import type { Feature } from '../../feature.ts';

export const importCaddyfile: Feature = {
  name: 'import',
  commands: async (importers, questions) => [
    (await import('./cli/import.ts')).importCommand(importers, questions),
  ],
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
};
