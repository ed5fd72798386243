/**
 * Routes as a replay runs them: upstreams become an echo, and where a trial cannot tell what would happen, a
 * response says so. Pure.
 */
import {
  field,
  isObject,
  type Json,
  type JsonObject,
  list,
  object,
} from '../../../../src/shared/json.ts';
import { upstreamsOf } from '../../../sites/live-upstreams.ts';

export type Stage = {
  /** `host:port` of the echo. */
  echo: string;
  /** The header by which echo and trial talk to the replay; nobody else can know it. */
  header: string;
  /** Its value in each request of the replay's own. */
  secret: string;
  /** Whether Caddy can be told a visitor's address. */
  knowsAddresses: boolean;
  /** The number of a reason why something cannot be played. */
  numberOf: (reason: string) => number;
};

/**
 * How the value of the header begins: of an upstream, of a sign-in service, of what cannot be played, and where
 * no site has the host.
 */
export const MARK = { upstream: 'u', signIn: 'a', unplayed: '!', noSite: '-' } as const;

/** What comes after the routes of all sites. The response stays Caddy's own, which is empty. */
export const noSiteRoute = ({ header }: Pick<Stage, 'header'>): JsonObject => ({
  handle: [{ handler: 'headers', response: { set: { [header]: [MARK.noSite] } } }],
});

/** Handlers that give the same response in a trial. */
const HANDLERS = new Set([
  'copy_response',
  'copy_response_headers',
  'encode',
  'error',
  'headers',
  'invoke',
  'log_append',
  'map',
  'metrics',
  'push',
  'request_body',
  'rewrite',
  'static_response',
  'vars',
]);

/** Of what they set, nothing is compared that could depend on an address. */
const WITHOUT_ADDRESS = new Set(['headers', 'encode', 'log_append', 'push', 'request_body']);

/** Matchers that need nothing but the request and files. */
const MATCHERS = new Set([
  'client_ip',
  'expression',
  'file',
  'header',
  'header_regexp',
  'host',
  'method',
  'not',
  'path',
  'path_regexp',
  'protocol',
  'query',
  'remote_ip',
  'tls',
  'vars',
  'vars_regexp',
]);

/** Of the JSON of a matcher or handler: whether it depends on the visitor's address. */
export const ADDRESS = /"?\b(?:remote_ip|client_ip)\b|http\.request\.remote\b|\{remote/;

/** Of the JSON of a matcher: whether it asks how a visitor is connected. A trial is asked by HTTP/1.1, without a server name. */
const CONNECTION =
  /"protocol":"http\/|\bprotocol\(\s*\W{1,2}http\/|http\.request\.(?:proto\b|proto_|tls\.)|\{(?:proto|tls_)/;

/**
 * What comes before the routes of all sites: a trial believes whatever address it is given, so it must not answer
 * to other users of the machine.
 */
export const guardRoute = ({ header, secret }: Pick<Stage, 'header' | 'secret'>): JsonObject => ({
  match: [{ not: [{ header: { [header]: [secret] } }] }],
  handle: [{ handler: 'static_response', abort: true }],
  terminal: true,
});

/** @param site whose routes they are, for the reasons */
export function playedRoutes(routes: Json | undefined, site: string, stage: Stage): JsonObject[] {
  return list(routes).flatMap((route) => {
    const { match, handle, ...rest } = object(route);
    const sets = list(match).map(object);
    const parted = sets.map((set) => partOf(set, site, stage));
    const marks = parted.flatMap(({ testable, reason }): JsonObject[] =>
      reason === null
        ? []
        : [
            {
              ...(typeof rest.group === 'string' && { group: rest.group }),
              ...(Object.keys(testable).length > 0 && { match: [testable] }),
              handle: [mark(reason, stage)],
              terminal: true,
            },
          ],
    );
    const whole = sets.filter((_, at) => parted[at]?.reason === null);
    if (sets.length > 0 && whole.length === 0) return marks;
    return [
      ...marks,
      {
        ...rest,
        ...(whole.length > 0 && { match: whole }),
        handle: playedHandlers(handle, site, stage),
      },
    ];
  });
}

/**
 * What of a matcher set can be told in a trial, and why not the rest. What matches the set also matches that
 * part, so that nothing is compared that cannot be.
 */
function partOf(set: JsonObject, site: string, stage: Stage) {
  const testable: JsonObject = {};
  let reason: string | null = null;
  for (const [name, value] of Object.entries(set)) {
    const why = whyUntestable(name, value, site, stage);
    if (why === null) testable[name] = value;
    else reason ??= why;
  }
  return { testable, reason };
}

function whyUntestable(name: string, value: Json, site: string, stage: Stage): string | null {
  if (!MATCHERS.has(name)) return `The matcher ${name} of ${site} cannot be tried`;
  if (name === 'not') {
    const inner = list(value).flatMap((set) => Object.entries(object(set)));
    return (
      inner.map(([one, of]) => whyUntestable(one, of, site, stage)).find((why) => why !== null) ??
      null
    );
  }
  const asText = JSON.stringify({ [name]: value });
  if (CONNECTION.test(asText)) return `The matcher ${name} of ${site} cannot be tried`;
  if (stage.knowsAddresses || !ADDRESS.test(asText)) return null;
  const ranges = list(field(value, 'ranges')).join(' ');
  return withoutAddress(`${name}${ranges && ` ${ranges}`}`, site);
}

/** Caddy has the listener wrapper `proxy_protocol` since 2.7 (its release notes). */
const withoutAddress = (rule: string, site: string): string =>
  `Rules about addresses cannot be tried with Caddy before 2.7: ${rule} of ${site}`;

const playedHandlers = (handle: Json | undefined, site: string, stage: Stage): JsonObject[] =>
  list(handle).flatMap((handler) => playedHandler(object(handler), site, stage));

function playedHandler(handler: JsonObject, site: string, stage: Stage): JsonObject[] {
  const name = String(handler.handler);
  const unplayed = () => [mark(`The handler ${name} of ${site} cannot be tried`, stage)];
  // By one that it removes, echo and trial say what happened.
  const response = name === 'headers' ? handler.response : field(handler, 'headers', 'response');
  if (removes(response, stage.header)) {
    return [mark(`The header names with * that ${site} removes cannot be tried`, stage)];
  }
  switch (name) {
    case 'subroute':
      return [
        {
          ...handler,
          routes: playedRoutes(handler.routes, site, stage),
          ...(handler.errors !== undefined && {
            errors: { routes: playedRoutes(field(handler.errors, 'routes'), site, stage) },
          }),
        },
      ];
    case 'reverse_proxy':
      return [
        playedProxy(handler, site, stage) ??
          mark(`header_up of ${site} removes every header`, stage),
      ];
    // It would report to a collector.
    case 'tracing':
      return [];
    case 'authentication':
      return Object.keys(object(handler.providers)).every((one) => one === 'http_basic')
        ? [handler]
        : unplayed();
    case 'file_server':
      return handler.fs || handler.file_system ? unplayed() : addressed(handler, site, stage);
    default:
      return HANDLERS.has(name) ? addressed(handler, site, stage) : unplayed();
  }
}

function addressed(handler: JsonObject, site: string, stage: Stage): JsonObject[] {
  const name = String(handler.handler);
  const isSafe = stage.knowsAddresses || WITHOUT_ADDRESS.has(name);
  if (isSafe || !ADDRESS.test(JSON.stringify(handler))) return [handler];
  return [mark(withoutAddress(name, site), stage)];
}

/** The response that says that what comes cannot be tried. */
const mark = (reason: string, { header, numberOf }: Stage): JsonObject => ({
  handler: 'static_response',
  status_code: 200,
  headers: { [header]: [`${MARK.unplayed}${numberOf(reason)}`] },
});

/** Leads to the echo, and names the upstreams; null if the header that does so would be removed. */
function playedProxy(handler: JsonObject, site: string, stage: Stage): JsonObject | null {
  const { header, echo } = stage;
  const request = object(field(handler, 'headers', 'request'));
  if (removes(request, header)) return null;
  const kind = isSignIn(handler) ? MARK.signIn : MARK.upstream;
  return {
    handler: 'reverse_proxy',
    upstreams: [{ dial: echo }],
    headers: {
      ...object(handler.headers),
      request: {
        ...request,
        set: { ...object(request.set), [header]: [`${kind}${upstreamNames(handler)}`] },
      },
    },
    // The echo need not know every method.
    rewrite: { ...object(handler.rewrite), method: 'GET' },
    ...(handler.trusted_proxies !== undefined && { trusted_proxies: handler.trusted_proxies }),
    ...(handler.handle_response !== undefined && {
      handle_response: list(handler.handle_response).map((one) => ({
        ...object(one),
        routes: playedRoutes(field(one, 'routes'), site, stage),
      })),
    }),
  };
}

/** Whether operations on headers remove one. */
const removes = (operations: Json | undefined, header: string): boolean =>
  list(field(operations, 'delete')).some((pattern) => covers(String(pattern), header));

/** As Caddy's header operations match names: `*` at either end. */
function covers(pattern: string, header: string): boolean {
  const [wanted, name] = [pattern.toLowerCase(), header.toLowerCase()];
  const [starts, ends] = [wanted.endsWith('*'), wanted.startsWith('*')];
  const core = wanted.replace(/^\*|\*$/g, '');
  if (starts && ends) return name.includes(core);
  if (starts) return name.startsWith(core);
  return ends ? name.endsWith(core) : name === core;
}

/**
 * Whether it only asks if a visitor may pass: `forward_auth`, whose requests are made GET. The visitor does not get the
 * response to a success.
 */
export function isSignIn({ rewrite, handle_response: responses }: JsonObject): boolean {
  return (
    field(rewrite, 'method') === 'GET' &&
    list(responses).some(
      (one) =>
        list(field(one, 'match', 'status_code')).includes(2) &&
        !JSON.stringify(one).includes('"handler":"copy_response"'),
    )
  );
}

/**
 * All of them, as any may be chosen; placeholders stay, for Caddy to replace. As they come in a header, anything
 * but printable ASCII is left out.
 */
function upstreamNames({ upstreams, dynamic_upstreams: dynamic, transport }: JsonObject): string {
  const own = {
    handler: 'reverse_proxy',
    upstreams: upstreams ?? [],
    ...(dynamic !== undefined && { dynamic_upstreams: dynamic }),
  };
  const protocol = field(transport, 'protocol');
  const scheme =
    protocol === 'fastcgi' ? 'fastcgi://' : isObject(field(transport, 'tls')) ? 'https://' : '';
  const names = upstreamsOf(own).upstreams.map(({ address }) => `${scheme}${address}`);
  return names
    .toSorted()
    .join(' ')
    .replace(/[^\x20-\x7e]/g, '?');
}
