/** What an agent finds when it walks the way of a request: plain data, from which the hub draws the conclusions. */
import { type Static, t } from 'elysia';
import { integer } from '../../shared/integer.ts';
import type { BodyCall } from '../../shared/wire/call.ts';

/** How long one explanation may take, in milliseconds. */
export const EXPLAIN_MS = 30_000;

/**
 * `proxyfile`: what is live, or would be. `name` and `port`: of the site, as `CheckTarget` has them. `path`: what a
 * visitor asks for. `live`: the proxy serves it already, so that its port can be looked at.
 */
export const ExplainRequest = t.Object({
  proxyfile: t.String(),
  name: t.String(),
  port: integer(),
  path: t.String(),
  live: t.Boolean(),
});
export type ExplainRequest = Static<typeof ExplainRequest>;

/** One of some words. */
const oneOf = <const Word extends string>(words: readonly Word[]) =>
  t.Unsafe<Word>(t.Union(words.map((word) => t.Literal(word))));

/** The same of a site that is live, and was just changed. */
export const FirstLookRequest = t.Omit(ExplainRequest, ['proxyfile', 'live']);
export type FirstLookRequest = Static<typeof FirstLookRequest>;

const text = t.Union([t.String(), t.Null()]);
const nullableInteger = t.Union([integer(), t.Null()]);

/**
 * Where the site's name points, as this machine sees it. `skipped`: no name that can be looked up, or one that only
 * visitors' own resolvers know; `silent`: the resolver does not answer; `none`: there is no such name.
 */
const NameFinding = t.Object({
  state: oneOf(['skipped', 'silent', 'none', 'own', 'public', 'private', 'loopback']),
  addresses: t.Array(t.String()),
});
export type NameFinding = Static<typeof NameFinding>;

/** The port that visitors use. `held`: by another program; `reason`: why it is not open. */
const ListenerFinding = t.Object({
  state: oneOf(['open', 'closed', 'held', 'unknown']),
  reason: text,
});
export type ListenerFinding = Static<typeof ListenerFinding>;

/** The certificate of an upstream; `trusted`: by the public authorities, for the name that Caddy asks for. */
const PeerCertificate = t.Object({
  issuer: t.String(),
  names: t.Array(t.String()),
  notAfter: text,
  trusted: t.Boolean(),
});
export type PeerCertificate = Static<typeof PeerCertificate>;

/**
 * Whether a connection can be made. `name`: there is no such name; `unreachable`: no way to it; `late`: no answer in
 * time; `unknown`: the agent cannot tell.
 */
export const CONNECTS = [
  'open',
  'name',
  'refused',
  'unreachable',
  'late',
  'socket',
  'unknown',
] as const;
export type Connects = (typeof CONNECTS)[number];

/**
 * What an upstream speaks. `http`: what Caddy uses; `tls`: TLS, while Caddy uses plain HTTP; `plain`: the other way
 * round; `h2`: HTTP/2 alone; `other`: something else; `closes`, `hangs`: it says nothing; `large`: a header without an
 * end; `handshake`: it fails; `unknown`: it was not asked.
 */
export const SPEAKS = [
  'http',
  'tls',
  'plain',
  'h2',
  'other',
  'closes',
  'hangs',
  'large',
  'handshake',
  'unknown',
] as const;
export type Speaks = (typeof SPEAKS)[number];

const UpstreamFinding = t.Object({
  /** As in the configuration. */
  address: t.String(),
  /** Whether it is asked who somebody is, instead of for the page. */
  signIn: t.Boolean(),
  /** What Caddy speaks to it. */
  wanted: oneOf(['http', 'https', 'h2c', 'other']),
  /** Whether Caddy goes to another one if it fails. */
  spared: t.Boolean(),
  /** Why it is not looked at: it depends on the request, or on what Caddy looks up. */
  unknown: text,
  /** It is a port of this Caddy: `loop` leads back, `site` to another site. */
  own: t.Union([t.Literal('loop'), t.Literal('site'), t.Null()]),
  /** Whether its host is this machine's loopback. */
  loopback: t.Boolean(),
  connects: oneOf(CONNECTS),
  /** Another address of this machine at which the port is open, if it is refused. */
  instead: text,
  speaks: oneOf(SPEAKS),
  status: nullableInteger,
  /** The first printable characters of what is not HTTP. */
  banner: text,
  certificate: t.Union([PeerCertificate, t.Null()]),
});
export type UpstreamFinding = Static<typeof UpstreamFinding>;

/**
 * Where a redirect leads. `loop`: back to itself; `follows`: on within the site; `site`: to another site of this
 * Caddy; `upstream`: to an address of the upstream's own; `inside`: to another one that only the network knows;
 * `unserved`: to the site's name, where Caddy serves nothing; `away`: to somebody else.
 */
const LEADS = ['loop', 'follows', 'site', 'upstream', 'inside', 'unserved', 'away'] as const;

const Asked = t.Object({
  status: nullableInteger,
  location: text,
  /** Milliseconds. */
  ms: t.Number(),
  /** Who answered at last: an upstream's address; null: Caddy itself. */
  by: text,
  /** Whether that one is asked who somebody is. */
  bySignIn: t.Boolean(),
  /** The status at the end of the redirects that stay on the site. */
  landed: nullableInteger,
  leads: t.Union([oneOf(LEADS), t.Null()]),
  /** The sign-in page is behind the same sign-in, or does not answer. */
  portal: t.Union([t.Literal('loop'), t.Literal('down'), t.Null()]),
  /** Instead of a status: `closed` or `late`. */
  fault: t.Union([t.Literal('closed'), t.Literal('late'), t.Null()]),
  /** The network of the visitor, as the config has it, if Caddy refuses this machine; null: this machine asked. */
  from: text,
  /** Caddy's own words about it. */
  error: text,
  /** Which program's refusal it is, as far as that is known. */
  app: text,
});
export type Asked = Static<typeof Asked>;

/** Statuses of the same request at the upstream, without what Caddy adds, and with only the site's name. */
const Direct = t.Object({ plain: nullableInteger, named: nullableInteger });
export type Direct = Static<typeof Direct>;

/** Statuses of a request for a websocket, by way of Caddy and without it. */
const Websocket = t.Object({ here: nullableInteger, direct: nullableInteger });
export type Websocket = Static<typeof Websocket>;

export const Findings = t.Object({
  /** Whether Caddy has such a site. */
  served: t.Boolean(),
  /** Whether visitors speak TLS. */
  tls: t.Boolean(),
  /** Whether the agent, and with it Caddy, runs in a container. */
  container: t.Boolean(),
  /** Whether it is the main program of that container, so that no service is on its loopback. */
  alone: t.Boolean(),
  /** Whether visitors were served within the last day. */
  visited: t.Boolean(),
  /** Whether the site's config goes by visitors' addresses. */
  byAddress: t.Boolean(),
  name: NameFinding,
  listener: ListenerFinding,
  upstreams: t.Array(UpstreamFinding),
  /** Null: it was not asked. */
  asked: t.Union([Asked, t.Null()]),
  direct: t.Union([Direct, t.Null()]),
  websocket: t.Union([Websocket, t.Null()]),
});
export type Findings = Static<typeof Findings>;

const FINDINGS_BYTES = 256 * 1024;
const OLDER = 'The agent cannot explain sites: it is of an older version.';

/**
 * Walks the way of a request to a site, and of what it forwards to.
 * @throws Failure RATE_LIMITED while too many run, and as a publish
 */
export const EXPLAIN: BodyCall<typeof ExplainRequest, typeof Findings> = {
  path: '/proxy/explanation',
  body: ExplainRequest,
  answer: Findings,
  deadline: EXPLAIN_MS + 5_000,
  limit: FINDINGS_BYTES,
  missing: OLDER,
};

/** Null if its upstreams answer at first sight. */
export const FirstLook = t.Object({ findings: t.Union([Findings, t.Null()]) });

/** As `EXPLAIN`, if one request to each upstream shows that it is worth it. */
export const FIRST_LOOK: BodyCall<typeof FirstLookRequest, typeof FirstLook> = {
  path: '/proxy/explanation/first',
  body: FirstLookRequest,
  answer: FirstLook,
  deadline: EXPLAIN_MS + 5_000,
  limit: FINDINGS_BYTES,
  missing: OLDER,
};
