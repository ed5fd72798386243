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
import { type Deliver, deliverTest, tryDraft } from './deliver.ts';
import { CHANNEL, NEW_CHANNELS, TRIALS } from './examples.ts';
import {
  ChannelFields,
  ChannelTrial,
  ChannelView,
  MadeChannel,
  NewChannel,
  viewChannel,
} from './schema.ts';

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
          'Responds when the channel has accepted the message, after ten seconds at most. If it does not, the status is 502, and `detail` says why, such as `HTTP 403: the bot may not write to the chat` or `SMTP 535: the user or password was refused`.',
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
        bodies: NEW_CHANNELS,
        example: CHANNEL,
      }),
    )
    .post(
      '/try',
      async ({ body }) => {
        await tryDraft(api, deliver, channels.draft(body));
        return { success: true as const };
      },
      route({
        id: 'tryChannel',
        tag: 'Notifications',
        summary: 'Send a test message to a channel before it is created or changed',
        description:
          'Answers as a test of a stored channel, and stores nothing. A webhook without a `secret` is tried with one that is used only for that.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        body: ChannelTrial,
        refuses: ['NOT_FOUND', 'CHANNEL_FAILED', 'SECRET_KEY_UNUSABLE'],
        bodies: TRIALS,
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
