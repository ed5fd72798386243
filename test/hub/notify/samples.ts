/** Channels and messages for tests. */
import type { Channel, Delivery, Happening } from '../../../src/hub/notify/message.ts';
import type { ChannelKind, ChannelTarget } from '../../../src/shared/events.ts';

const AT = new Date('2026-11-22T05:21:00Z');

export const channel = (kind: ChannelKind, target: ChannelTarget): Channel => ({
  ...{ id: 1, name: 'Phone', kind, target, events: [], quiet: null, enabled: true },
  ...{ createdAt: AT, updatedAt: AT },
});

export const HAPPENING: Happening = {
  id: 1,
  state: 'began',
  event: 'upstream.down',
  about: 'bücher.example 😀',
  level: 'bad',
  message: 'b:1 does not answer: „refused“.',
  at: AT,
};
export const OVER: Happening = {
  ...HAPPENING,
  state: 'over',
  at: new Date(AT.getTime() + 3_660_000),
  beganAt: AT,
};

export const delivery = (...happenings: Delivery['happenings']): Delivery => ({
  id: 'an-id',
  happenings,
});
