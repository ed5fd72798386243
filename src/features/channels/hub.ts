/** What a hub does with channels: queues messages about incidents, sends them, and reports channels that fail. */
import { Elysia } from 'elysia';
import type { HubCore, HubHalf } from '../../hub/core.ts';
import { DELIVERY_RESULTS } from '../../shared/events.ts';
import { createChannels } from './channels.ts';
import { createDeliver } from './deliver.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { CHANNEL_KINDS } from './kinds/kinds.ts';
import { outbox } from './outbox.ts';
import { failingChannels } from './problems.ts';
import { channelRoutes } from './routes.ts';
import { sealTargets } from './seal-targets.ts';
import { createSender } from './sender.ts';

/** Milliseconds. */
export const PACE = {
  every: 1_000,
  /** Before the second attempt; doubled with each further one, up to the longest. */
  firstPause: 10_000,
  longestPause: 3_600_000,
  /** In which so many are sent one by one, and then together. */
  window: 60_000,
  /** After which a channel that accepts nothing is a problem: a restart of its receiver is none. */
  failing: 600_000,
};

export const hub: HubHalf = (core) => {
  const { db, sealing, now, log } = core;
  sealTargets(db, sealing, log);
  const channels = createChannels({ db, sealing, now });
  const deliver = createDeliver(core.hub);
  const pace = core.paced('channels', PACE);
  const attempts = attemptsIn(core);
  const sender = createSender({
    ...core,
    deliver,
    pace,
    seen: (kind, result) => attempts.inc({ kind, result }),
  });
  return {
    routes: (api) =>
      new Elysia({ name: 'messages' })
        .use(channelRoutes({ ...api, channels, deliver }))
        .use(deliveryRoutes(api)),
    problems: () => failingChannels(channels.failing(), now(), pace.failing),
    incidents: { ...outbox, recorded: () => void sender.send() },
    begin: sender.begin,
    end: sender.stop,
  };
};

function attemptsIn({ counter }: Pick<HubCore, 'counter'>) {
  const attempts = counter(
    'signalbox_notifications_total',
    'Attempts to deliver a message or a digest; failed ones are repeated until the hub gives up.',
    ['kind', 'result'],
  );
  for (const kind of CHANNEL_KINDS) {
    for (const result of DELIVERY_RESULTS) attempts.inc({ kind, result }, 0);
  }
  return attempts;
}
