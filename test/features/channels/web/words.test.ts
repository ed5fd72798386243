/** What the dashboard says of channels, and of what was sent to them. */
import { describe, expect, test } from 'bun:test';
import type { DeliveryView } from '../../../../src/features/channels/delivery-routes.ts';
import type { ChannelView } from '../../../../src/features/channels/schema.ts';
import {
  isChanged,
  isKept,
  targetFrom,
  typedFrom,
} from '../../../../src/features/channels/web/kinds.ts';
import { outcomeOf, placeOf, scopeOf } from '../../../../src/features/channels/web/words.ts';

const NOW = new Date(2026, 10, 21, 14, 0);
const at = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000).toISOString();

const channel = (change: Partial<ChannelView> = {}): ChannelView => ({
  id: 1,
  name: 'Phone',
  kind: 'ntfy',
  enabled: true,
  events: [],
  quiet: null,
  target: { url: 'https://ntfy.example.org/***', topic: '***' },
  createdAt: at(0),
  updatedAt: at(0),
  waiting: 0,
  failing: null,
  ...change,
});

describe('the target of a channel', () => {
  const mail = {
    host: 'mail.example.org',
    port: 2525,
    security: 'tls' as const,
    user: 's***@example.org',
    password: '***',
    from: 's***@example.org',
    to: 'a***@example.org',
  };
  /** As it is sent. */
  const sent = (...inputs: Parameters<typeof targetFrom>) =>
    JSON.parse(JSON.stringify(targetFrom(...inputs)));

  test('is not sent back as its mask, nor as an empty text', () => {
    const typed = typedFrom('smtp', mail);
    expect(JSON.stringify(typed)).not.toContain('***');
    expect(sent('smtp', typed, mail)).toEqual({
      host: 'mail.example.org',
      port: 2525,
      security: 'tls',
    });
    expect(['host', 'password', 'to'].map((name) => isKept(mail, name as 'to'))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('leads elsewhere if something was typed or removed', () => {
    const typed = typedFrom('smtp', mail);
    expect(isChanged('smtp', typed, mail)).toBe(false);
    const { security: _, ...withDefault } = mail;
    expect(isChanged('smtp', { ...typed, security: 'starttls' }, withDefault)).toBe(false);
    for (const change of [
      { password: 'new' },
      { user: null },
      { port: '' },
      { security: 'none' },
    ]) {
      expect(isChanged('smtp', { ...typed, ...change }, mail)).toBe(true);
    }
  });

  test('loses what is removed, or is shown and emptied', () => {
    const typed = { ...typedFrom('smtp', mail), user: null, password: null, port: '' };
    expect(sent('smtp', typed, mail)).toMatchObject({ user: null, password: null, port: null });
    expect(sent('smtp', { ...typed, user: 'ada', port: '25' }, mail)).toMatchObject({
      user: 'ada',
      port: 25,
    });
  });

  test('of a new channel has only what was typed', () => {
    const typed = { ...typedFrom('ntfy', null), topic: 'home' };
    expect(sent('ntfy', typed, null)).toEqual({ url: 'https://ntfy.sh', topic: 'home' });
    expect(sent('webhook', { url: 'https://x', secret: '' }, null)).toEqual({ url: 'https://x' });
  });

  test('is shown without what is secret', () => {
    expect(placeOf(channel())).toBe('https://ntfy.example.org');
    expect(placeOf(channel({ kind: 'smtp', target: mail }))).toBe(
      'a***@example.org by mail.example.org',
    );
    const quiet = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
    expect(scopeOf(channel())).toBe('all events');
    expect(scopeOf(channel({ events: ['drift'], quiet }))).toBe(
      '1 event, quiet from 22:00 to 07:00',
    );
  });
});

describe('what became of a message', () => {
  const delivery = (change: Partial<DeliveryView>): DeliveryView => ({
    id: 1,
    channel: { id: 1, name: 'Phone' },
    state: 'began',
    event: 'drift',
    about: '',
    level: 'warn',
    message: '',
    at: at(0),
    outcome: 'waiting',
    attempts: 0,
    dueAt: at(0),
    sentAt: null,
    error: null,
    digest: null,
    ...change,
  });

  test.each<[string, Partial<DeliveryView>]>([
    ['waits', {}],
    ['waits until 2026-11-21 14:30', { dueAt: at(30) }],
    [
      '2 attempts, next at 2026-11-21 14:01: HTTP 500',
      { attempts: 2, dueAt: at(1), error: 'HTTP 500' },
    ],
    ['given up after 9 attempts: HTTP 500', { outcome: 'failed', attempts: 9, error: 'HTTP 500' }],
    [
      'not sent: HTTP 500',
      { outcome: 'failed', state: 'test', event: null, attempts: 1, error: 'HTTP 500' },
    ],
    ['sent', { outcome: 'sent', attempts: 1, sentAt: at(0) }],
    ['sent after 3 attempts', { outcome: 'sent', attempts: 3, sentAt: at(0) }],
  ])('%s', (words, change) => {
    expect(outcomeOf(delivery(change), NOW)).toBe(words);
  });
});
