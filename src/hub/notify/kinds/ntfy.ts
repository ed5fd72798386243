/** Publishes to a topic of an ntfy server. */
import { serverUrl, token, topic } from './fields.ts';
import { type Kind, originOf } from './kind.ts';

export const ntfy: Kind = {
  fields: { url: serverUrl, topic, token: { ...token, isOptional: true } },
  placeOf: originOf,
};
