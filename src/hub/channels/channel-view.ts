/** Channels as the API shows them: without their secrets. */
import { t } from 'elysia';
import { CHANNEL_KINDS, EVENT_NAMES } from '../../shared/events.ts';
import { Timestamp } from '../http/schemas.ts';
import { Quiet } from './channel-input.ts';
import { maskTarget } from './channel-target.ts';
import type { Backlog } from './channels.ts';
import type { Channel } from './message.ts';

const Text = t.Optional(t.String());

const ChannelTarget = t.Object(
  {
    url: t.Optional(t.String({ description: 'scheme and host, then ***' })),
    topic: t.Optional(t.String({ description: '***, like all secrets' })),
    token: Text,
    secret: Text,
    host: Text,
    port: t.Optional(t.Integer()),
    security: t.Optional(t.UnionEnum(['starttls', 'tls', 'none'])),
    user: Text,
    password: Text,
    from: t.Optional(t.String({ description: 'a***@example.org, like all addresses' })),
    to: Text,
  },
  { title: 'ChannelTarget', description: 'the stored fields, masked' },
);

const fields = {
  id: t.Integer(),
  name: t.String(),
  kind: t.UnionEnum(CHANNEL_KINDS),
  enabled: t.Boolean(),
  events: t.Array(t.UnionEnum(EVENT_NAMES), { description: 'the events it gets; if empty: all' }),
  quiet: t.Union([Quiet, t.Null()]),
  target: ChannelTarget,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  waiting: t.Integer({ description: 'messages not delivered yet' }),
  failing: t.Union(
    [
      t.Object({
        since: Timestamp,
        detail: t.String({ description: 'why the last attempt failed' }),
      }),
      t.Null(),
    ],
    { description: 'if messages could not be delivered' },
  ),
};

export const ChannelView = t.Object(fields, { title: 'Channel' });
export const MadeChannel = t.Object(
  {
    ...fields,
    secret: t.Optional(
      t.String({ description: 'if the hub generated it; shown only once, in this response' }),
    ),
  },
  { title: 'NewChannelAnswer' },
);

const EMPTY: Backlog = { waiting: 0, failing: null };

/** @param backlogs by channel */
export function viewChannel(channel: Channel, backlogs: ReadonlyMap<number, Backlog>) {
  const { waiting, failing } = backlogs.get(channel.id) ?? EMPTY;
  return {
    ...channel,
    events: [...channel.events],
    target: maskTarget(channel.kind, channel.target),
    createdAt: channel.createdAt.toISOString(),
    updatedAt: channel.updatedAt.toISOString(),
    waiting,
    failing: failing && { ...failing, since: failing.since.toISOString() },
  };
}

/** An example for the documentation. */
export const CHANNEL = {
  id: 1,
  name: 'Phone',
  kind: 'ntfy',
  enabled: true,
  events: [],
  quiet: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' },
  target: { url: 'https://ntfy.example.org/***', topic: '***', token: '***' },
  createdAt: '2026-11-20T18:00:00.000Z',
  updatedAt: '2026-11-20T18:00:00.000Z',
  waiting: 0,
  failing: null,
};
