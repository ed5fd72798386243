/** Channels and messages for tests. */

import type { Channel } from '../../../src/features/channels/channels.ts';
import type { Target } from '../../../src/features/channels/kinds/kind.ts';
import type { ChannelKind } from '../../../src/features/channels/kinds/kinds.ts';
import type { Delivery, Message } from '../../../src/features/channels/message.ts';

const AT = new Date('2026-11-22T05:21:00Z');

export const channel = (kind: ChannelKind, target: Target): Channel => ({
  id: 1,
  name: 'Phone',
  kind,
  target: () => target,
  events: [],
  quiet: null,
  enabled: true,
  createdAt: AT,
  updatedAt: AT,
});

export const HAPPENING: Message = {
  id: 1,
  state: 'began',
  event: 'upstream.down',
  about: 'bücher.example 😀',
  level: 'bad',
  message: 'b:1 does not answer: „refused“.',
  at: AT,
};
export const OVER: Message = {
  ...HAPPENING,
  state: 'over',
  at: new Date(AT.getTime() + 3_660_000),
  beganAt: AT,
};

export const delivery = (...messages: Delivery['messages']): Delivery => ({
  id: 'an-id',
  messages,
});

/** New channels, of each kind. */
export const HOOK = {
  name: 'Hook',
  kind: 'webhook',
  target: { url: 'https://hooks.example.org/a-path' },
};
export const NTFY = {
  name: 'Phone',
  kind: 'ntfy',
  target: { url: 'https://ntfy.example.org', topic: 'a-topic', token: 'tk_a_token' },
};
export const GOTIFY = {
  name: 'Gotify',
  kind: 'gotify',
  target: { url: 'https://gotify.example.org/a-path', token: 'another-token' },
};
export const MAIL = {
  name: 'Mail',
  kind: 'smtp',
  target: {
    host: 'mail.example.org',
    user: 'ada-user@example.org',
    password: 'a long passphrase',
    from: 'from-hub@example.org',
    to: 'to-ada@example.org',
  },
};
export const DISCORD = {
  name: 'Discord',
  kind: 'discord',
  target: { url: 'https://discord.example/api/webhooks/1/a-path' },
};
export const TELEGRAM = {
  name: 'Telegram',
  kind: 'telegram',
  target: { url: 'https://telegram.example.org', token: '12345:a-bot-token', chat: '-100777' },
};
const SLACK = {
  name: 'Slack',
  kind: 'slack',
  target: { url: 'https://slack.example.org/services/a-path' },
};
export const APPRISE = {
  name: 'Apprise',
  kind: 'apprise',
  target: { url: 'https://apprise.example.org', key: 'a-key', urls: 'json://a-path' },
};
export const ALL = [HOOK, NTFY, GOTIFY, MAIL, DISCORD, TELEGRAM, SLACK, APPRISE];

/** What is secret of their targets, and of `hook`. */
export const SECRETS =
  /a-path|a-topic|tk_a_token|another-token|ada-user|long passphrase|from-hub|to-ada|a-secret|a-bot-token|100777|a-key/;

export const hook = (target: object) => ({ ...HOOK, target: { ...HOOK.target, ...target } });
export const ntfy = (target: object) => ({ ...NTFY, target: { ...NTFY.target, ...target } });
export const telegram = (target: object) => ({
  ...TELEGRAM,
  target: { ...TELEGRAM.target, ...target },
});
export const mail = (target: object) => ({ ...MAIL, target: { ...MAIL.target, ...target } });
export const quiet = (hours: object) => ({
  ...HOOK,
  quiet: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin', ...hours },
});
