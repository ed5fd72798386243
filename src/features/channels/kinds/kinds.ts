/** The kinds of channels, in the order in which people see them. */
import { gotify } from './gotify.ts';
import type { Kind } from './kind.ts';
import { ntfy } from './ntfy.ts';
import { smtp } from './smtp.ts';
import { webhook } from './webhook.ts';

export const KINDS = { ntfy, gotify, smtp, webhook } satisfies Readonly<Record<string, Kind>>;

export type ChannelKind = keyof typeof KINDS;
export const CHANNEL_KINDS = Object.keys(KINDS) as [ChannelKind, ...ChannelKind[]];
