/** Channels: messages about incidents to phones, chats, webhooks and mail. */
import type { Feature } from '../../feature.ts';

export const channels: Feature = {
  name: 'channels',
  hub: () => ({ load: async () => (await import('./hub.ts')).hub }),
};
