/** Notices that a proxy stands before Caddy, which Caddy does not know of: then all visitors have its address. */
import type { Feature } from '../../feature.ts';

export const sameAddress: Feature = {
  name: 'same-address',
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
};
