/** What a hub reports to people who are not looking: the events, and what becomes of messages. */

/** Each with its meaning, for the documentation and the dashboard. */
export const EVENTS = {
  'certificate.ending': 'A certificate was not renewed in time, or has expired.',
  'certificate.failed': 'A certificate for a site cannot be obtained or renewed.',
  'proxy.down': 'Caddy is not running, or does not answer.',
  'agent.unreachable': 'An agent does not answer.',
  'agent.behind': 'The proxy of an agent lacks accepted changes.',
  'program.returned':
    'The program at PROXY_BIN would not serve all sites, or has ended: the one before runs.',
  drift: 'Another program changed the Caddyfile on disk.',
  'vhost.broken': 'Caddy refuses a stored site, or cannot open its port.',
  'upstream.down': 'An upstream of a site does not answer.',
  'check.failing': 'A site did not answer as its check requires, twice in a row.',
  'sign-in.locked': 'Too many failed sign-ins; further ones are refused for a while.',
  'disk.full': 'Less than 5 % of a disk that signalbox or Caddy writes to is free.',
  'backup.failed': 'The backup of a day, or before an upgrade, was not made.',
  'visitor.refused': 'Somebody who used a site before it was closed is refused.',
  'sign-in.new-address': 'An account signed in from a network it had not signed in from before.',
  'account.changed':
    'An account was created or deleted, or its password, role or second factor changed.',
} as const;

export type EventName = keyof typeof EVENTS;

/** What happens once and is never resolved: only channels that name it get it. */
export const ONE_OFF: readonly EventName[] = ['sign-in.new-address', 'account.changed'];

export const EVENT_NAMES = Object.keys(EVENTS) as [EventName, ...EventName[]];

/** What becomes of an attempt to deliver; `failed` ones are repeated until they are given up. */
export const DELIVERY_RESULTS = ['sent', 'failed', 'given_up'] as const;
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number];

/** `22:00` to `07:00`, in an IANA time zone; the end may be on the next day. */
export type QuietHours = Readonly<{ from: string; to: string; timeZone: string }>;
