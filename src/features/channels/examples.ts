/** Examples of channels, for the documentation of the API. */

/** As it is shown. */
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
const TELEGRAM = {
  name: 'Telegram',
  kind: 'telegram',
  target: {
    url: 'https://api.telegram.org',
    token: '123456789:A4kT9mWq2Zr7Yc1',
    chat: '-1001234567890',
  },
};

/** Bodies that create one. */
export const NEW_CHANNELS = {
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
  discord: {
    summary: 'Discord',
    value: {
      name: 'Discord',
      kind: 'discord',
      target: { url: 'https://discord.com/api/webhooks/123456789012345678/A4kT9mWq2Zr7' },
    },
  },
  telegram: { summary: 'Telegram', value: TELEGRAM },
  slack: {
    summary: 'Slack',
    value: {
      name: 'Slack',
      kind: 'slack',
      target: { url: 'https://hooks.slack.com/services/T0000/B0000/A4kT9mWq2Zr7' },
    },
  },
  apprise: {
    summary: 'Apprise',
    value: {
      name: 'Apprise',
      kind: 'apprise',
      target: { url: 'http://apprise.example.org:8000', key: 'home-4kT9mWq2' },
    },
  },
};

/** Bodies that try one. */
export const TRIALS = {
  telegram: { summary: 'A new channel', value: TELEGRAM },
  chat: {
    summary: 'Another chat of a stored channel',
    value: { ...TELEGRAM, id: 1, target: { chat: '-1009876543210' } },
  },
};
