/** What a hub does with channels: queues messages about incidents, sends them, and reports channels that fail. */
import { Elysia } from 'elysia';
import type { HubHalf } from '../../hub/core.ts';
import { createAttempts } from './attempts.ts';
import { createChannels } from './channels.ts';
import { createDeliver } from './deliver.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { outbox } from './outbox.ts';
import { failingChannels } from './problems.ts';
import { channelRoutes } from './routes.ts';
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
  const { now } = core;
  const channels = createChannels(core);
  const deliver = createDeliver(core.hub);
  const pace = core.paced('channels', PACE);
  const attempts = createAttempts();
  const sender = createSender({ ...core, deliver, pace, seen: attempts.count });
  return {
    routes: (api) =>
      new Elysia({ name: 'messages' })
        .use(channelRoutes(api, channels, deliver))
        .use(deliveryRoutes(api)),
    problems: () => failingChannels(channels.failing(), now(), pace.failing),
    collect: attempts.collect,
    incidents: { ...outbox, recorded: () => void sender.send() },
    begin: sender.begin,
    end: sender.end,
  };
};
