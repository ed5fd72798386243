/** Certificates that the hub keeps: uploaded, or ordered by DNS with lego and renewed. */
import type { Feature } from '../../feature.ts';
import { readHubHalf } from './settings.ts';

export const certificates: Feature = {
  name: 'certificates',
  commands: async () => [(await import('./cli/certificate.ts')).certificate],
  hub: readHubHalf,
};
