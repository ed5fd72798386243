/** Turns the nginx text of one host of Nginx Proxy Manager into the body of a site block. Pure. */
import type { Remark } from '../notes.ts';
import type { AccessList, Location } from '../rows.ts';
import { tabbed } from './answers.ts';
import { createFindings, type Findings } from './findings.ts';
import { matchedBy, type Place, placeOf, sizeOf } from './locations.ts';
import { inOrder } from './order.ts';
import { type Directive, parse } from './parse.ts';
import { addedHeaders, ownService, proxied } from './proxy.ts';
import { rulesOf } from './rules.ts';
import { type Inherited, NOTHING, settingsOf } from './settings.ts';
import { commented, type Part, type Scope } from './words.ts';

export type Wanted = {
  /** What answers if no location and no nginx text does: a service, or lines such as a redirect. */
  rest: { upstream: string } | { lines: readonly string[] };
  locations: readonly Location[];
  /** The owner's nginx text of the server block. */
  advanced: string;
  /** Whether services must not get the password of an access list. */
  stripsAuthorization: boolean;
  hasAccessList: boolean;
};

export type Body = {
  /** Without the address of the site; with all nginx text as comments if some cannot be said. */
  lines: readonly string[];
  /** `allow` and `deny` of the whole host, in order. */
  clients: AccessList['clients'];
  remarks: readonly Remark[];
  /** Why it cannot be said in Caddy, each a sentence; none: it can. */
  unsayable: readonly string[];
};

const NO_HEADERS =
  'In what Nginx Proxy Manager itself forwards, add_header and proxy_set_header of the server block had no effect. They are left out there.';
const NOT_COVERED =
  'In Nginx Proxy Manager, the access list did not cover the locations of the host’s own nginx text. Here it covers the whole site.';
const TWICE = 'The nginx text has two locations for the same path.';

/** The body of the site that does what nginx did. */
export function bodyOf(wanted: Wanted): Body {
  const findings = createFindings();
  const { rest, hasAccessList, stripsAuthorization } = wanted;
  const upstream = 'upstream' in rest ? rest.upstream : null;
  const parsed = parse(wanted.advanced);
  if ('fault' in parsed) findings.refuse(parsed.fault);
  const text = 'fault' in parsed ? [] : parsed.directives;
  const server = settingsOf(text, NOTHING, true, findings);
  const isAlone = server.locations.length + wanted.locations.length === 0;
  const start = { variables: variablesOf(upstream), captures: null };
  const rules = rulesOf(server.rules, start, isAlone ? 'alone' : 'server', findings);
  const { scope } = rules;
  if (hasAccessList && server.locations.length > 0) findings.remark('warning', NOT_COVERED);

  const place = (
    args: readonly string[],
    block: readonly Directive[],
    isCustom: boolean,
  ): Place[] => {
    const matched = matchedBy(args, findings);
    if (!matched) findings.cannot(`location ${args.join(' ')}`);
    // nginx takes no header of the server where Nginx Proxy Manager sets some.
    const inherited = isCustom ? { ...server, setHeaders: [] } : server;
    const settings = settingsOf(block, inherited, false, findings);
    if (!matched) return [];
    return [
      placeOf(matched, settings, isCustom, { upstream, stripsAuthorization }, scope, findings),
    ];
  };
  const places = [
    ...server.locations.flatMap(({ args, block }) => place(args, block ?? [], false)),
    ...wanted.locations.flatMap((location) => {
      const custom = customOf(location, findings);
      return custom ? place(custom.args, custom.block, true) : [];
    }),
  ];
  if (hasTwice(places)) findings.refuse(TWICE);

  const hasRoot = places.some(
    ({ matched }) => 'path' in matched && matched.path === '/' && matched.modifier !== '=',
  );
  if (!hasRoot) places.push(restOf(wanted, server, scope, findings));
  const found = inOrder(places, findings);
  const only = places.length === 1 ? places[0] : undefined;
  const isOnly = only !== undefined && !('pattern' in only.matched) && only.matched.path === '/';
  const ended =
    rules.end === null ? null : [...addedHeaders(server.addHeaders, scope, findings), rules.end];
  const content = ended ?? (isOnly ? only.lines : found.lines);
  const isSimple = rules.lines.length === 0 && (rules.end !== null || isOnly || found.isSimple);
  const lines = isSimple ? content : ['route {', ...tabbed([...rules.lines, ...content]), '}'];
  const { remarks, unsayable } = findings;
  const comment = unsayable.length > 0 ? commented(sourceOf(wanted)) : [];
  return { lines: [...comment, ...lines], clients: server.access, remarks, unsayable };
}

/** What Nginx Proxy Manager sets in each host with a service. */
function variablesOf(upstream: string | null): Map<string, readonly Part[]> {
  const [, scheme = 'http', host = '', port = ''] =
    /^(?:(https?):\/\/)?(.*?)(?::(\d+))?$/i.exec(upstream ?? '') ?? [];
  const known =
    upstream === null
      ? []
      : [
          ['forward_scheme', scheme],
          ['server', host],
          ['port', port],
        ];
  return new Map(known.map(([name = '', text = '']) => [name, [{ text, isPlaceholder: false }]]));
}

/** A custom location, as Nginx Proxy Manager writes it for nginx; null if that is not one. */
function customOf(
  location: Location,
  { refuse, cannot }: Findings,
): { args: readonly string[]; block: readonly Directive[] } | null {
  const { path, advanced } = location;
  const to = targetOf(location);
  const head = onlyOne(`location ${path} {}`);
  const pass = onlyOne(`proxy_pass ${to};`);
  const own = parse(advanced);
  if ('fault' in own) refuse(own.fault);
  if (head?.name !== 'location' || head.block?.length !== 0) cannot(`location ${path}`);
  else if (pass?.block !== null || pass.args.length !== 1) cannot(`proxy_pass ${to}`);
  else return { args: head.args, block: [...('fault' in own ? [] : own.directives), pass] };
  return null;
}

/** Its path may stand in its host. */
function targetOf({ scheme, host, port, forwardPath }: Location): string {
  const [name = '', ...path] = host.split('/');
  return `${scheme}://${name}:${port}${path.length === 0 ? forwardPath : `/${path.join('/')}`}`;
}

/** All that nginx was given. */
const sourceOf = ({ advanced, locations }: Wanted): string =>
  [
    ...(advanced.trim() === '' ? [] : [advanced.trimEnd()]),
    ...locations.flatMap((location) => [
      `location ${location.path} {`,
      ...(location.advanced.trim() === '' ? [] : [location.advanced.trimEnd()]),
      `proxy_pass ${targetOf(location)};`,
      '}',
    ]),
  ].join('\n');

function onlyOne(text: string): Directive | undefined {
  const parsed = parse(text);
  return 'fault' in parsed || parsed.directives.length !== 1 ? undefined : parsed.directives[0];
}

/** What answers if no location does. */
function restOf(
  { rest, stripsAuthorization }: Wanted,
  server: Inherited,
  scope: Scope,
  findings: Findings,
): Place {
  const isService = 'upstream' in rest;
  if (isService && server.addHeaders.length + server.setHeaders.length > 0) {
    findings.remark('warning', NO_HEADERS);
  }
  const own = { ...server, setHeaders: [] };
  const answer = isService
    ? proxied(ownService(rest.upstream), own, true, stripsAuthorization, scope, findings)
    : [...addedHeaders(server.addHeaders, scope, findings), ...rest.lines];
  return {
    matched: { modifier: '', path: '/' },
    lines: [...sizeOf(server), ...answer],
    refuses: false,
    forwards: false,
  };
}

/** Whether two places are for the same path, which nginx does not take. */
function hasTwice(places: readonly Place[]): boolean {
  const keys = places.flatMap(({ matched }) =>
    'path' in matched ? [`${matched.modifier === '=' ? '=' : ''}${matched.path}`] : [],
  );
  return new Set(keys).size < keys.length;
}
