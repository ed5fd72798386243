/** The kinds of channels. */
import type { ChannelKind } from '../../../shared/events.ts';
import { gotify } from './gotify.ts';
import type { Kind } from './kind.ts';
import { ntfy } from './ntfy.ts';
import { smtp } from './smtp.ts';
import { webhook } from './webhook.ts';

export const KINDS: Readonly<Record<ChannelKind, Kind>> = { webhook, ntfy, gotify, smtp };
