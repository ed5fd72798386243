/** The docs, at `/docs`: without a session, and without a request to anywhere else. */
import type { Feature } from '../../feature.ts';

export const docs: Feature = {
  name: 'docs',
  needs: ['openapi'],
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
};
