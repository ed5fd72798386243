/** What a webhook was sent: what happened, however many deliveries said so. */
import type { EventName } from '../../src/shared/events.ts';
import type { Received, Receiver } from '../harness/receiver.ts';
import { until } from '../harness/stack.ts';
import type { Outage } from './outages.ts';

/** The contract's, from when it began, or was over. */
const LIMIT_MS = 60_000;

/** As the body of a webhook has it. */
type Said = {
  event: EventName | null;
  state: 'began' | 'over' | 'flapping' | 'test';
  about: string;
  message: string;
};
type Body = Said & { id: string; happenings?: Said[] };

type Arrived = Said & {
  /** The delivery's id. */
  id: string;
  /** When its first delivery arrived, in milliseconds since 1970. */
  at: number;
};

/**
 * What was accepted, in the order of arrival; a delivery that is repeated with its id counts once.
 * @throws Error if one has another signature, or came again with another body
 */
export function arrivedAt({ received }: Receiver): Arrived[] {
  const first = new Map<string, Received>();
  for (const one of received) {
    if (one.path !== '/hook') continue;
    if (!one.genuine) throw new Error(`not signed: ${one.body}`);
    const id = one.headers.get('X-Signalbox-Id') ?? '';
    const before = first.get(id);
    if (before !== undefined && before.body !== one.body) {
      throw new Error(`${id} came again as another: ${before.body} ${one.body}`);
    }
    if (before === undefined || !isTaken(before)) first.set(id, one);
  }
  return [...first].flatMap(([id, one]) => {
    if (!isTaken(one)) return [];
    const { happenings, ...said } = JSON.parse(one.body) as Body;
    return (happenings ?? [said]).map((happening) => ({ ...happening, id, at: one.at }));
  });
}

/** Whether it was answered with success. */
const isTaken = ({ behaviour }: Received): boolean =>
  behaviour === 'accepts' || behaviour === 'trickles' || behaviour === 'floods';

/**
 * Waits for a message that arrives at or after a time, in milliseconds since 1970.
 * @throws Error with all that arrived, if it does not within a minute
 */
export async function awaited(
  receiver: Receiver,
  { event, about }: Pick<Outage, 'event' | 'about'>,
  state: 'began' | 'over',
  since = 0,
): Promise<Arrived> {
  const fits = (one: Arrived) =>
    one.at >= since && one.event === event && one.state === state && isAbout(one, about);
  try {
    const find = () => arrivedAt(receiver).find(fits);
    return await until(find, `${event} ${about} ${state}`, LIMIT_MS);
  } catch (error) {
    throw new Error(`${error}; arrived: ${arrivedAt(receiver).map(lineOf).join(', ')}`);
  }
}

/** @param about a host or an agent; a domain may have a scheme and a port around the host */
const isAbout = (one: Arrived, about: string): boolean =>
  one.about.replace(/^https?:\/\//, '').replace(/:\d+$/, '') === about;

export const lineOf = ({ event, state, about }: Said): string => `${event} ${about} ${state}`;
