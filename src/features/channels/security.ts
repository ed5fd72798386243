/** Messages about sign-ins and accounts, to the channels that name these events. */
import type { SecurityListener } from '../../hub/auth/security-log.ts';
import { channels, messages } from './tables.ts';

export const queueSecurity: SecurityListener = (db, { at, event, about, message }) => {
  const wanting = db
    .select({ id: channels.id, enabled: channels.enabled, events: channels.events })
    .from(channels)
    .all()
    .filter(({ enabled, events }) => enabled && events.includes(event));
  if (wanting.length === 0) return;
  const what = { event, about, message, state: 'began', level: 'warn', at, dueAt: at } as const;
  db.insert(messages)
    .values(wanting.map(({ id }) => ({ ...what, channelId: id })))
    .run();
};
