/** `/channels`: where messages go when something breaks. For people only, as its targets are secrets. */
import { Elysia, t } from 'elysia';
import { recordSecurity } from '../../hub/auth/security-log.ts';
import type { Person } from '../../hub/auth/sessions/sessions.ts';
import type { ApiCore } from '../../hub/core.ts';
import { inTransaction } from '../../hub/db/open.ts';
import { IdParams, idOf } from '../../hub/http/params.ts';
import { route } from '../../hub/http/route.ts';
import { jsonBody } from '../../shared/json-body.ts';
import type { Channels } from './channels.ts';
import { type Deliver, deliverTest } from './deliver.ts';
import { ChannelFields, ChannelView, MadeChannel, NewChannel, viewChannel } from './schema.ts';

/** An example. */
const CHANNEL = {
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
const WEBHOOK = {
  name: 'Automation',
  kind: 'webhook',
  target: { url: 'https://hooks.example.org/signalbox' },
};
const PHONE = {
  name: 'Phone',
  kind: 'ntfy',
  quiet: CHANNEL.quiet,
  target: { url: 'https://ntfy.example.org', topic: 'home-4kT9mWq2', token: 'tk_4kT9mWq2' },
};
const EMAIL = {
  name: 'Email',
  kind: 'smtp',
  events: ['certificate.ending', 'disk.full'],
  target: {
    host: 'mail.example.org',
    user: 'signalbox@example.org',
    password: 'what the mail server demands',
    from: 'signalbox@example.org',
    to: 'ada@example.org',
  },
};

export function channelRoutes(api: ApiCore, channels: Channels, deliver: Deliver) {
  const { sessionGuard, bodyLimit, db, now } = api;
  /** Does it, and records it with it. */
  const recorded = <T extends { name: string }>(who: Person, detail: string, work: () => T): T =>
    inTransaction(db, (tx) => {
      const channel = work();
      recordSecurity(tx, now(), who, { kind: 'channel', target: channel.name, detail });
      return channel;
    });
  return new Elysia({ name: 'channels', prefix: '/channels' })
    .use(sessionGuard)
    .get(
      '/',
      () => {
        const backlogs = channels.backlogs();
        return channels.list().map((channel) => viewChannel(channel, backlogs));
      },
      route({
        id: 'listChannels',
        tag: 'Notifications',
        summary: 'List all channels',
        access: 'session',
        needs: 'owner',
        returns: t.Array(ChannelView),
        example: [CHANNEL],
      }),
    )
    .get(
      '/:id',
      ({ params }) => viewChannel(channels.get(idOf(params, 'channel')), channels.backlogs()),
      route({
        id: 'getChannel',
        tag: 'Notifications',
        summary: 'Get a channel',
        access: 'session',
        needs: 'owner',
        params: IdParams,
        returns: ChannelView,
        example: CHANNEL,
      }),
    )
    .delete(
      '/:id',
      ({ params, who }) => {
        const channel = channels.get(idOf(params, 'channel'));
        recorded(who, 'deleted', () => {
          channels.remove(channel.id);
          return channel;
        });
        return { success: true as const };
      },
      route({
        id: 'deleteChannel',
        tag: 'Notifications',
        summary: 'Delete a channel, with its queued messages and its deliveries',
        access: 'session',
        needs: 'owner',
        fresh: true,
        params: IdParams,
      }),
    )
    .post(
      '/:id/test',
      async ({ params }) => {
        await deliverTest(api, deliver, channels.get(idOf(params, 'channel')));
        return { success: true as const };
      },
      route({
        id: 'testChannel',
        tag: 'Notifications',
        summary: 'Send a test message to a channel, in quiet hours too',
        description:
          'Responds when the channel has accepted the message, after ten seconds at most. If it does not, the status is 502, and `detail` says why, such as `HTTP 404` or `SMTP 535: the user or password was refused`.',
        access: 'session',
        needs: 'owner',
        params: IdParams,
        refuses: ['CHANNEL_FAILED', 'SECRET_KEY_UNUSABLE'],
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      ({ body, set, who }) => {
        const { name, channel, ...made } = recorded(who, 'created', () => {
          const created = channels.create(body);
          return { ...created, name: created.channel.name };
        });
        set.status = 201;
        return { ...viewChannel(channel, new Map()), ...made };
      },
      route({
        id: 'createChannel',
        tag: 'Notifications',
        summary: 'Create a channel',
        description:
          'There are at most 20. A 400 names the `field`, such as `target.url`. Channels are not part of the configuration: exports and the changelog do not contain them, but backups do.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        body: t.Object(NewChannel, { title: 'NewChannel' }),
        refuses: ['SECRET_KEY_UNUSABLE'],
        status: 201,
        returns: MadeChannel,
        bodies: {
          ntfy: { summary: 'ntfy, silent at night', value: PHONE },
          webhook: { summary: 'A webhook, with a secret that the hub generates', value: WEBHOOK },
          gotify: {
            summary: 'Gotify',
            value: {
              name: 'Gotify',
              kind: 'gotify',
              target: { url: 'https://gotify.example.org', token: 'A4kT9mWq2Zr7Yc1' },
            },
          },
          smtp: { summary: 'An email for some events', value: EMAIL },
        },
        example: CHANNEL,
      }),
    )
    .put(
      '/:id',
      ({ params, body, who }) => {
        const id = idOf(params, 'channel');
        const channel = recorded(who, 'changed', () => channels.update(id, body));
        return viewChannel(channel, channels.backlogs());
      },
      route({
        id: 'updateChannel',
        tag: 'Notifications',
        summary: 'Change a channel',
        description:
          'A field of the target keeps its value if you leave it out or send it as it is shown; `null` removes an optional one. If the server changes, or there is less encryption, send the credentials again. Queued messages go to the new target.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        params: IdParams,
        body: t.Object(ChannelFields, { title: 'ChannelChanges' }),
        refuses: ['SECRET_KEY_UNUSABLE'],
        returns: ChannelView,
        bodies: { quiet: { value: { quiet: CHANNEL.quiet } } },
        example: CHANNEL,
      }),
    );
}
