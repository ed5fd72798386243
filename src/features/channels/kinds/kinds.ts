/** The kinds of channels, in the order in which people see them. */
import { apprise } from './apprise.ts';
import { discord } from './discord.ts';
import { gotify } from './gotify.ts';
import type { Kind } from './kind.ts';
import { ntfy } from './ntfy.ts';
import { slack } from './slack.ts';
import { smtp } from './smtp.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

export const KINDS = {
  ntfy,
  gotify,
  smtp,
  discord,
  telegram,
  slack,
  apprise,
  webhook,
} satisfies Readonly<Record<string, Kind>>;

export type ChannelKind = keyof typeof KINDS;
export const CHANNEL_KINDS = Object.keys(KINDS) as [ChannelKind, ...ChannelKind[]];
