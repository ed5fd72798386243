/** What makes a kind of channel: a schema of its targets, and how it sends. */
import type { Static, TSchema } from 'elysia';
import type { Delivery, Text } from '../message.ts';
import type { Value } from './fields.ts';

/** Where a channel leads, and the secrets for that; valid by the schema of its kind. */
export type Target = Readonly<Record<string, Value>>;

export type Sending = Readonly<{
  /** The id of the hub. */
  hub: string;
  delivery: Delivery;
  text: Text;
  /** The deadline. */
  signal: AbortSignal;
}>;

type Definition<Fields extends TSchema> = Readonly<{
  title: string;
  /** For whom it is. */
  description: string;
  /** Each has a title; in the order of the form. Checks, views, form and API follow from them. */
  fields: Fields;
  /** Where a target's credentials are sent. */
  placeOf(target: Static<Fields>): string;
  /** Fields that need each other: both or none. */
  pair?: readonly [string, string];
  /** @throws Failure CHANNEL_FAILED, with a detail that has nothing of the target */
  send(target: Static<Fields>, sending: Sending): Promise<void>;
}>;

export type Kind = Omit<Definition<TSchema>, 'placeOf' | 'send'> & {
  placeOf(target: Target): string;
  send(target: Target, sending: Sending): Promise<void>;
};

/** A kind whose functions get targets of the type that its fields say. */
export const defineKind = <Fields extends TSchema>(definition: Definition<Fields>): Kind =>
  definition as unknown as Kind;

export const originOf = ({ url }: { url: string }): string => new URL(url).origin;
