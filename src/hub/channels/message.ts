/** What is sent to a channel, and how it is delivered. */
import type { ChannelKind, ChannelTarget, EventName, QuietHours } from '../../shared/events.ts';

export type Channel = Readonly<{
  id: number;
  name: string;
  kind: ChannelKind;
  target: ChannelTarget;
  /** Empty: all. */
  events: readonly EventName[];
  quiet: QuietHours | null;
  enabled: boolean;
  createdAt: Date;
  updatedAt: Date;
}>;

/** `event` is null for a test. `about` is a domain, an agent, or empty for the hub. */
export type Happening = Readonly<{
  id: number;
  state: 'began' | 'over' | 'flapping' | 'test';
  event: EventName | null;
  about: string;
  level: 'bad' | 'warn';
  message: string;
  at: Date;
  /** Of one that is over: when it began. */
  beganAt?: Date | undefined;
}>;

/** Several happenings are a digest. */
export type Delivery = Readonly<{
  /** The same at each attempt, so that a receiver can tell a repetition. */
  id: string;
  happenings: readonly [Happening, ...Happening[]];
}>;

/**
 * Hands a message over, once and within a deadline.
 * @throws Failure CHANNEL_FAILED; neither message nor detail contains the target
 */
export type Deliver = (channel: Channel, delivery: Delivery) => Promise<void>;
