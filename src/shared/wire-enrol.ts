/** What hub and agent send each other to meet for the first time, and to change the token. */
import { type Static, t } from 'elysia';
import { HubId, Term } from './wire.ts';

/** Only the agent's hash of it is stored there. */
const Token = t.String({ pattern: '^[\\x21-\\x7e]{32,200}$' });

/**
 * Proves the one-time `secret` of an invitation and hands over the `token` of all later requests. With
 * `replace`, the proxy may serve sites that this hub did not publish.
 */
export const EnrolRequest = t.Object({
  secret: t.String({ maxLength: 200 }),
  hub: HubId,
  term: Term,
  token: Token,
  replace: t.Optional(t.Boolean()),
});
export type EnrolRequest = Static<typeof EnrolRequest>;

/** The next token; the one of this request stays valid until the next one is used. */
export const TokenRequest = t.Object({ token: Token });

/** To both: it is stored, safe from a power cut. */
export const Stored = t.Object({ success: t.Literal(true) });
