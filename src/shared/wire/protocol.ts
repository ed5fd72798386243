/**
 * What hub and agent send each other: the schemas that both sides check. Here: the version, errors, and how
 * they meet for the first time and change the token.
 */
import { type Static, t } from 'elysia';
import { integer } from '../integer.ts';

/**
 * The version of what both send each other. A hub names its own in this header of each request, and an agent refuses
 * a newer one than its own. Raise it with each change after which an agent of the release before would do something
 * else than it is asked.
 */
export const PROTOCOL = 2;
export const PROTOCOL_HEADER = 'X-Signalbox-Protocol';

/** An error body; the proxy's words in it have no paths of the host. */
export const ErrorBody = t.Object(
  {
    code: t.String({ examples: ['INVALID_REQUEST'] }),
    message: t.String({ description: 'one sentence for a person' }),
    detail: t.Optional(t.String({ description: 'more details, usually in the proxy’s words' })),
    hint: t.Optional(t.String({ description: 'one sentence on how to fix it, if known' })),
    line: t.Optional(integer({ description: 'the line of the submitted text that is at fault' })),
    field: t.Optional(
      t.String({ description: 'the field at fault, for example `operations.0.domain`' }),
    ),
    policy: t.Optional(
      t.Object(
        { name: t.String(), field: t.Optional(t.String()) },
        { description: 'the policy whose text is at fault, and the field at fault' },
      ),
    ),
    agent: t.Optional(
      t.String({
        description: 'of several agents: the one whose proxy does not accept the change',
      }),
    ),
    needs: t.Optional(t.String({ description: 'the role that would suffice' })),
    changes: t.Optional(
      t.Array(integer(), { description: 'changelog entries that prevent an undo' }),
    ),
  },
  { title: 'Error' },
);

/** The agent's: `words` is the detail without the line, whose number the hub translates. */
export const AgentErrorBody = t.Composite([ErrorBody, t.Object({ words: t.Optional(t.String()) })]);
export type AgentErrorBody = Static<typeof AgentErrorBody>;

/** The id of a hub's database. */
export const HubId = t.String({ pattern: '^[0-9a-f]{32}$' });

/** The highest that JSON can say exactly. */
export const MAX_TERM = Number.MAX_SAFE_INTEGER;

/** How often that database was promoted on another machine, plus one. */
export const Term = integer({ minimum: 1, maximum: MAX_TERM });

export const Health = t.Object({ status: t.Literal('ok') }, { title: 'Health' });

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

/** The last request of a hub that has removed the agent: then no token is valid. */
export const ForgetRequest = t.Object({ hub: HubId, term: t.Optional(Term) });

/** To all three: it is stored, safe from a power cut. */
export const Stored = t.Object({ success: t.Literal(true) });
