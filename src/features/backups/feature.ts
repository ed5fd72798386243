/** Backups of the hub's database: made by commands and by the hub itself, restored, and promoted. */
import type { Feature } from '../../feature.ts';
import { readHubHalf } from './settings.ts';

export const backups: Feature = {
  name: 'backups',
  commands: async () => (await import('./cli/commands.ts')).commands,
  hub: readHubHalf,
};
