/**
 * What hub and agent send each other: the schemas that both sides check. Here: the version, errors, and how
 * they meet for the first time and change the token.
 */
import { type Static, t } from 'elysia';

/**
 * The version of what both send each other. In this header, a hub says which one understands its request, and an
 * agent refuses a newer one than its own. Raise it with each change after which a hub or an agent of the release
 * before would do something else than it is asked, and say the new one in each request that needs it.
 *
 * 2: filters of the log by user agent and by several domains, and numbers that follow every filter.
 */
export const PROTOCOL = 2;
/** Understands all requests that need no newer one. */
export const FIRST_PROTOCOL = 1;
export const PROTOCOL_HEADER = 'X-Signalbox-Protocol';

type Filters = Partial<
  Record<'domain' | 'userAgent' | 'status' | 'method' | 'path' | 'q' | 'ip', string>
>;
const SECOND = { [PROTOCOL_HEADER]: '2' };

/** Says the protocol that the filters of a page need: the first one would leave some out. */
export const filtering = ({ domain = '', userAgent = '' }: Filters): Record<string, string> =>
  userAgent !== '' || /[\s*]/.test(domain) ? SECOND : {};

/** As `filtering`, for numbers over time: those of the first follow only domain and time. */
export function counting(query: Filters): Record<string, string> {
  const { status, method, path, q, ip } = query;
  return [status, method, path, q, ip].some(Boolean) ? SECOND : filtering(query);
}

export const Difference = t.Object({
  domain: t.String({ description: 'the name of the site; empty: of none' }),
  reason: t.String({ examples: ['GET / answered 502 instead of 200'] }),
});

/** An error body; the proxy's words in it have no paths of the host. */
export const ErrorBody = t.Object(
  {
    code: t.String({ examples: ['INVALID_REQUEST'] }),
    message: t.String({ description: 'one sentence for a person' }),
    detail: t.Optional(t.String({ description: 'more details, usually in the proxy’s words' })),
    hint: t.Optional(t.String({ description: 'one sentence on how to fix it, if known' })),
    line: t.Optional(t.Integer({ description: 'the line of the submitted text that is at fault' })),
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
      t.Array(t.Integer(), { description: 'changelog entries that prevent an undo' }),
    ),
    differences: t.Optional(
      t.Array(Difference, { description: 'what a new program of Caddy does otherwise' }),
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
export const Term = t.Integer({ minimum: 1, maximum: MAX_TERM });

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
