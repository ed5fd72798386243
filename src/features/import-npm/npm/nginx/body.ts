/** Turns the nginx text of one host of Nginx Proxy Manager into the body of a site block. Pure. */
import type { Remark } from '../notes.ts';
import type { AccessList, Location } from '../rows.ts';
import { tabbed } from './answers.ts';
import { createFindings, type Findings } from './findings.ts';
import {
  ACCESS_FIRST,
  customOf,
  matchedBy,
  type Place,
  placeOf,
  rulesOf,
  sizeOf,
  sourceOf,
} from './locations.ts';
import { inOrder } from './order.ts';
import { type Directive, parse } from './parse.ts';
import { addedHeaders, ownService, proxied } from './proxy.ts';
import { type Inherited, NOTHING, settingsOf } from './settings.ts';
import { commented } from './words.ts';

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
  'NPM ignores add_header and proxy_set_header outside of a location. They are left out.';
const NOT_COVERED =
  'In NPM, the access list does not cover the locations in the nginx text. Here it covers the whole site.';
const BOTH =
  'In nginx, allow and deny of a location replace those of the server block. Here a visitor must pass both.';
/** More than people write; where order matters, locations name each other. */
const MAX_LENGTH = 100_000;
const MAX_LOCATIONS = 100;
const TOO_LONG = 'What the nginx text would become is too long.';
const NO_BODY = { lines: [], clients: [], remarks: [] };
const TWICE = 'The nginx text has two locations for the same path.';

/** The body of the site that does what nginx did. */
export function bodyOf(wanted: Wanted): Body {
  const body = translatedBody(wanted);
  const isLong =
    body === null || body.lines.reduce((sum, line) => sum + line.length, 0) > MAX_LENGTH;
  const plain = { ...wanted, locations: [], advanced: '' };
  const { unsayable, ...said } = isLong
    ? { ...(translatedBody(plain) ?? NO_BODY), unsayable: [TOO_LONG] }
    : body;
  if (unsayable.length === 0) return { ...said, unsayable };
  const comment = commented(sourceOf(wanted).slice(0, MAX_LENGTH));
  return { ...said, unsayable, lines: [...comment, ...said.lines] };
}

/** Null if there are too many locations. */
function translatedBody(wanted: Wanted): Body | null {
  const findings = createFindings();
  const { rest, hasAccessList } = wanted;
  const upstream = 'upstream' in rest ? rest.upstream : null;
  const parsed = parse(wanted.advanced);
  if ('fault' in parsed) findings.refuse(parsed.fault);
  const text = 'fault' in parsed ? [] : parsed.directives;
  const server = settingsOf(text, NOTHING, true, findings);
  const locations = server.locations.length + wanted.locations.length;
  if (locations > MAX_LOCATIONS) return null;
  const { end } = rulesOf(server.rules, true, findings);
  if (hasAccessList && server.locations.length > 0) findings.remark('warning', NOT_COVERED);
  const isGuarded = hasAccessList || server.access.length > 0;
  if (isGuarded && end !== null) findings.remark('warning', ACCESS_FIRST);

  const place = (args: readonly string[], block: readonly Directive[], isCustom: boolean) => {
    const matched = matchedBy(args);
    // nginx takes no header of the server where Nginx Proxy Manager sets some.
    const inherited = isCustom ? { ...server, setHeaders: [] } : server;
    const settings = settingsOf(block, inherited, false, findings);
    if (server.access.length > 0 && settings.access.length > 0) findings.remark('warning', BOTH);
    if (matched) return [placeOf(matched, settings, isCustom, wanted, upstream, findings)];
    findings.cannot(`location ${args.join(' ')}`);
    return [];
  };
  const places = [
    ...server.locations.flatMap(({ args, block }) => place(args, block ?? [], false)),
    ...wanted.locations.flatMap((location) => {
      const custom = customOf(location, findings);
      return custom ? place(custom.args, custom.block, true) : [];
    }),
  ];
  if (hasTwice(places)) findings.refuse(TWICE);
  if (!places.some(isRoot)) places.push(restOf(wanted, server, findings));

  const only = places.length === 1 ? places.find(isRoot) : undefined;
  const found = only ? { lines: only.lines, isSimple: true } : inOrder(places, findings);
  const content = end === null ? found.lines : [...addedHeaders(server.addHeaders, findings), end];
  const { remarks, unsayable } = findings;
  const lines = [...(places.some(refusesBySlash) ? SLASHED : []), ...content];
  return {
    lines: end !== null || found.isSimple ? lines : ['route {', ...tabbed(lines), '}'],
    clients: server.access,
    remarks,
    unsayable,
  };
}

/** Whether it is what answers if no other place does. */
const isRoot = ({ matched }: Place): boolean => matched.path === '/' && matched.modifier !== '=';

/** nginx reads `/a/.` and `/a/b/..` as `/a/`; Caddy as `/a`, which such a place does not match. */
const SLASHED = ['uri path_regexp `(?i)((/|%2f)(\\.|%2e)(\\.|%2e)?)$` $1/'];

const refusesBySlash = (place: Place): boolean =>
  place.refuses && !isRoot(place) && place.matched.path.endsWith('/');

/** What answers if no location does. */
function restOf(
  { rest, stripsAuthorization }: Wanted,
  server: Inherited,
  findings: Findings,
): Place {
  const isService = 'upstream' in rest;
  if (isService && server.addHeaders.length + server.setHeaders.length > 0) {
    findings.remark('warning', NO_HEADERS);
  }
  const own = { ...server, setHeaders: [] };
  const answer = isService
    ? proxied(ownService(rest.upstream), own, true, stripsAuthorization, findings)
    : [...addedHeaders(server.addHeaders, findings), ...rest.lines];
  return {
    matched: { modifier: '', path: '/' },
    lines: [...sizeOf(server), ...answer],
    refuses: false,
    forwards: false,
  };
}

/** Whether two places are for the same path, which nginx does not take. */
function hasTwice(places: readonly Place[]): boolean {
  const keys = places.map(({ matched }) => `${matched.modifier === '=' ? '=' : ''}${matched.path}`);
  return new Set(keys).size < keys.length;
}
