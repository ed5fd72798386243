/** Sends an email. */
import { email, host, password, port, security, userName } from './fields.ts';
import type { Kind } from './kind.ts';

export const smtp: Kind = {
  fields: { host, port, security, user: userName, password, from: email, to: email },
  // Without encryption, everybody on the way gets the password.
  placeOf: (target) => `${target.host} ${target.security ?? 'starttls'}`,
  pair: ['user', 'password'],
};
