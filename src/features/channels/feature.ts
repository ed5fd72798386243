/** Channels: messages about incidents to webhooks, ntfy, Gotify and mail. */
import type { Feature } from '../../feature.ts';

export const channels: Feature = {
  name: 'channels',
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
};
