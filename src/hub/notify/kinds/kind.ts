/** What makes a kind of channel. */
import type { ChannelTarget } from '../../../shared/events.ts';
import type { Field } from './fields.ts';

export type TargetField = keyof ChannelTarget;

export type Kind = Readonly<{
  /** Those of its target, in order. */
  fields: Readonly<Partial<Record<TargetField, Field>>>;
  /** Where a target's credentials are sent. */
  placeOf(target: ChannelTarget): string;
  /** Fields that need each other: both or none. */
  pair?: readonly [TargetField, TargetField];
}>;

export const originOf = ({ url = '' }: ChannelTarget): string => new URL(url).origin;
