/** Channels and deliveries, for people. Pure. */
import { clockTime, plural } from '../../../web/lib/format.ts';
import type { DeliveryView } from '../delivery-routes.ts';
import type { ChannelView } from '../schema.ts';
import { shownIn } from './kinds.ts';

/** Where messages go, without what is secret. */
export const placeOf = ({ kind, target }: ChannelView): string =>
  kind === 'smtp'
    ? `${shownIn(target, 'to')} by ${shownIn(target, 'host')}`
    : shownIn(target, 'url').replace(/\/\*{3}$/, '');

/** `all events`, `3 events`; with the quiet hours, if there are some. */
export function scopeOf({ events, quiet }: ChannelView): string {
  const what = events.length === 0 ? 'all events' : plural(events.length, 'event');
  return quiet === null ? what : `${what}, quiet from ${quiet.from} to ${quiet.to}`;
}

/** What a message says. */
export const STATES: Readonly<Record<DeliveryView['state'], string>> = {
  began: 'problem',
  over: 'over',
  flapping: 'comes and goes',
  test: 'test',
};

/** What became of a message, after the name of its channel. */
export function outcomeOf(delivery: DeliveryView, now: Date): string {
  const { outcome, state, attempts, dueAt, error } = delivery;
  const why = error === null ? '' : `: ${error}`;
  const tries = plural(attempts, 'attempt');
  if (outcome === 'sent') return attempts > 1 ? `sent after ${tries}` : 'sent';
  if (outcome === 'failed' && state === 'test') return `not sent${why}`;
  if (outcome === 'failed') return `given up after ${tries}${why}`;
  if (attempts > 0) return `${tries}, next at ${clockTime(dueAt)}${why}`;
  return Date.parse(dueAt) > now.getTime() ? `waits until ${clockTime(dueAt)}` : 'waits';
}
