/** A route's OpenAPI `detail`: what its schemas do not say, and who may call it. Pure. */
import type { Role } from '../../shared/roles.ts';

/** The sections of the document, in order. */
export const TAGS = {
  Vhosts:
    'The sites that the proxy serves. A change is either live and recorded, or it has no effect.',
  Policies:
    'Rules shared by several sites: a password, sign-in with a service, a list of networks. A policy is a recipe with values, put on any number of vhosts; other recipes make the text of one vhost.',
  Configuration:
    'Everything around the vhosts: global options and snippets (the preamble), preview, import, export and restore.',
  Certificates:
    'Certificates that the hub keeps: uploaded, and served from all proxies at once. Those that Caddy gets itself are in Status.',
  Agents: 'The agents that this hub publishes to, each beside its own proxy.',
  Logs: 'The access log: pages, statistics and a live stream.',
  Changelog: 'Who changed what, and undoing a change.',
  Accounts:
    'Sign-up, sign-in, sessions and accounts. Compatible with better-auth’s email-and-password routes.',
  Tokens: 'Permanent API tokens for scripts.',
  Status: 'The state of hub, agent and proxy.',
  Notifications:
    'Problems that occur on their own, and the channels through which the hub reports them.',
  Document: 'This description of the API.',
} as const;

/**
 * Who may call a route: anyone; anyone on this machine, and others with a bearer token; a session
 * or any API token; a session or a token with the scope `write`; a session only.
 */
type Access = 'anyone' | 'local' | 'read' | 'write' | 'session';

export type Example = { summary?: string; value: unknown };

/** Who may call a route. The guards refuse what it does not declare. */
export type Demands =
  | { access: 'anyone' | 'local'; needs?: undefined; fresh?: undefined }
  | {
      access: 'read' | 'write' | 'session';
      /** The least that the account's role has to be, also that of a token's maker. */
      needs: Role;
      /** A session needs a proof that is at most an hour old. */
      fresh?: true;
    };

/** As a route declares it: `needs` stands there unless it is the usual role. */
type Declared =
  | Exclude<Demands, { access: 'read' | 'write' }>
  | { access: 'read' | 'write'; needs?: Role; fresh?: true };

/** A route as Elysia stores it. */
export type RegisteredRoute = { method: string; path: string; hooks: Record<string, unknown> };

export type About = Declared & {
  /** Stable, camelCase: the name of the function in a generated client. */
  id: string;
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  /** The request body is a form, and not JSON; or either. */
  isForm?: true;
  /** Examples of the request body, by name. */
  bodies?: Record<string, Example>;
  /** An example of a successful response. */
  example?: unknown;
  /** The response may also be `null`. */
  nullable?: true;
  /** Media type of the response, if the schema does not imply it. */
  mediaType?: string;
  /** Text that the response may also be, by its media type, with an example. */
  texts?: Record<string, string>;
  /** The schemas of parameters by their names; the generator forgets what some of them say. */
  parameters?: Record<string, { description?: string; example?: unknown; documented?: object }>;
  /** Request headers that the route reads. */
  requestHeaders?: readonly RequestHeader[];
  /** Headers of a successful response. */
  responseHeaders?: readonly ResponseHeader[];
};

type RequestHeader = 'If-Match' | 'If-None-Match' | 'Idempotency-Key' | 'Last-Event-ID';
type ResponseHeader = 'ETag' | 'Set-Cookie';

/** The key of `detail` under which `buildDocument` finds the `About`; clients never see it. */
export const ABOUT = 'x-about';

const CREDENTIALS = {
  anyone: [],
  local: [{}, { session: [] }, { apiToken: [] }],
  read: [{ session: [] }, { sessionCookie: [] }, { apiToken: [] }],
  write: [{ session: [] }, { sessionCookie: [] }, { apiToken: ['write'] }],
  session: [{ session: [] }, { sessionCookie: [] }],
} satisfies Record<Access, Record<string, string[]>[]>;

const NEEDS = {
  viewer: '',
  editor: 'Requires the role `editor` or `owner`.',
  owner: 'Requires the role `owner`.',
} satisfies Record<Role, string>;

/** The role that a route needs: the usual one if it says nothing; undefined if anyone may call it. */
export const neededBy = ({ access, needs }: Declared): Role | undefined => needs ?? USUAL[access];

const USUAL: { readonly [A in Access]?: Role } = { read: 'viewer', write: 'editor' };

/** Makes the `detail` of a route. */
export function about(route: About) {
  const { id, tag, summary, access, fresh } = route;
  const needs = neededBy(route);
  const description = [
    route.description,
    needs && NEEDS[needs],
    fresh && 'A session needs a proof that is at most an hour old: see `POST /api/auth/prove`.',
  ]
    .filter(Boolean)
    .join(' ');
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === '' ? {} : { description }),
    security: CREDENTIALS[access],
    [ABOUT]: needs ? { ...route, needs } : route,
  };
}

/** What `about` declared of each route, by `METHOD /path`. */
export function demandsOf(routes: readonly RegisteredRoute[]): ReadonlyMap<string, Demands> {
  return new Map(
    routes.flatMap(({ method, path, hooks }) => {
      const detail = hooks.detail as { [ABOUT]?: Demands } | undefined;
      return detail?.[ABOUT] ? [[`${method} ${path}`, detail[ABOUT]] as const] : [];
    }),
  );
}
