/** What makes a kind of channel. */
import type { ChannelTarget } from '../../../shared/events.ts';
import type { Delivery } from '../message.ts';
import type { Text } from '../texts.ts';
import type { Field } from './fields.ts';

export type TargetField = keyof ChannelTarget;

export type Sending = Readonly<{
  /** The id of the hub. */
  hub: string;
  delivery: Delivery;
  text: Text;
  /** The deadline. */
  signal: AbortSignal;
}>;

export type Kind = Readonly<{
  /** Those of its target, in order. */
  fields: Readonly<Partial<Record<TargetField, Field>>>;
  /** Where a target's credentials are sent. */
  placeOf(target: ChannelTarget): string;
  /** Fields that need each other: both or none. */
  pair?: readonly [TargetField, TargetField];
  /** @throws Failure CHANNEL_FAILED, with a detail that has nothing of the target */
  send(target: ChannelTarget, sending: Sending): Promise<void>;
}>;

type With<Required extends TargetField> = ChannelTarget &
  Readonly<{ [Name in Required]-?: NonNullable<ChannelTarget[Name]> }>;

/** A kind whose `send` gets a target with the fields that all its targets have. */
export const defineKind = <Required extends TargetField>(
  kind: Omit<Kind, 'send'> & { send(target: With<Required>, sending: Sending): Promise<void> },
): Kind => kind as Kind;

export const originOf = ({ url = '' }: ChannelTarget): string => new URL(url).origin;
