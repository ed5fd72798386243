/** What a route tells about itself beyond its schemas. Pure. */

/** The sections of the document, in their order. */
export const TAGS = {
  Vhosts: 'The sites the proxy serves. A change is live and recorded, or it never happened.',
  Configuration: 'What stands around the vhosts: preamble, preview, import, export, restore.',
  Logs: 'The access log: pages, numbers over time, and live.',
  Changelog: 'Who changed what, and taking it back.',
  Accounts: 'Sign-up, sign-in, sessions and accounts, on the wire as better-auth’s e-mail routes.',
  Tokens: 'Permanent tokens for scripts.',
  Status: 'How hub, agent and proxy are.',
  Document: 'This description.',
} as const;

/**
 * Who may ask: anyone; whoever is on the machine, and others with any bearer token; a session or any
 * API token; one that may write; a session alone.
 */
export type Access = 'anyone' | 'near' | 'read' | 'write' | 'session';

export type Example = { summary?: string; value: unknown };

export type About = {
  /** Stable, camelCase: the name of the function in a generated client. */
  id: string;
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  access: Access;
  /** Examples of the body, by name. */
  ask?: Record<string, Example>;
  /** An example of the answer to a request that succeeds. */
  answer?: unknown;
  /** The answer may be the word `null` as well. */
  nullable?: true;
  /** Media type of the answer where its schema does not tell. */
  type?: string;
  /** What a parameter is that its schema does not tell. */
  params?: Record<string, { description?: string; example?: unknown; schema?: object }>;
  /** Request headers that matter to it. */
  headers?: readonly RequestHeader[];
  /** Headers of the answer to a request that succeeds. */
  tells?: readonly AnswerHeader[];
};

export type RequestHeader = 'If-Match' | 'Last-Event-ID';
export type AnswerHeader = 'ETag' | 'Set-Cookie';

/** Where the document's builder finds it again; no client ever sees it. */
export const KEPT = 'x-about';

/** An id is a number, although anything else is not an error but not found. */
export const INTEGER_ID = { id: { schema: { type: 'integer', minimum: 1 }, example: 1 } };

const CREDENTIALS = {
  anyone: [],
  near: [{}, { session: [] }, { apiToken: [] }],
  read: [{ session: [] }, { sessionCookie: [] }, { apiToken: [] }],
  write: [{ session: [] }, { sessionCookie: [] }, { apiToken: ['write'] }],
  session: [{ session: [] }, { sessionCookie: [] }],
} satisfies Record<Access, Record<string, string[]>[]>;

/** A route's `detail`. */
export function about(told: About) {
  const { id, tag, summary, description, access } = told;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: CREDENTIALS[access],
    [KEPT]: told,
  };
}
