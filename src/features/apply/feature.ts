/** Sites and policies as a file: what it would change, its publish, and such a file of what is stored. */
import type { Feature } from '../../feature.ts';

export const apply: Feature = {
  name: 'apply',
  commands: async (_importers, questions) => [
    (await import('./cli/apply.ts')).applyCommand(questions),
    (await import('./cli/export.ts')).exportFile,
  ],
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
};
