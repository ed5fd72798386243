/** Asks a sign-in service about each request. Pure. */
import { guarded, NO_TUNNEL } from './exempt.ts';
import type { Line, Writing } from './recipe.ts';

type Asking = {
  address: string;
  uri: string;
  /** The headers of its response that the upstream gets. */
  copyHeaders: readonly string[];
  exemptNetworks?: readonly string[] | undefined;
  exemptPaths?: readonly string[] | undefined;
  exemptCertificates?: string | undefined;
};

/**
 * By these an upstream knows a person: Authelia and authentik name their headers so. Whatever stands
 * for the hyphens, as CGI and PHP make `_` of most of it.
 */
const IDENTITY = ['Remote*', '*Authentik*'];
const isIdentity = /^remote|authentik/i;

/** What the parts of a header name can be joined with, so that an upstream takes it for the same. */
const JOINTS = ['-', '_', '.'];
/** Names of more parts are removed by their first ones: each part triples the lines. */
const MAX_PARTS = 3;

/** All spellings of a header name as patterns of `request_header`. */
export function spellings(name: string): string[] {
  const [first = '', ...rest] = name.split('-');
  const joined = rest
    .slice(0, MAX_PARTS - 1)
    .reduce(
      (all, part) => all.flatMap((one) => JOINTS.map((joint) => one + joint + part)),
      [first],
    );
  return rest.length < MAX_PARTS ? joined : joined.map((one) => `${one}*`);
}

/** As Go spells it: Caddy finds a header of the response only so. */
const canonical = (name: string): string =>
  name.toLowerCase().replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());

/** Removes the headers that nobody but the service may set; exempt requests lose them as well. */
export const stripping = (copyHeaders: readonly string[]): Line[] => {
  const others = copyHeaders.filter((name) => !isIdentity.test(name)).map(canonical);
  const patterns = [...IDENTITY, ...new Set(others.flatMap(spellings))];
  return [
    ...NO_TUNNEL,
    '# only the service says who somebody is',
    ...patterns.map((pattern) => `request_header -${pattern}`),
    '# and a visitor cannot have what it says dropped on the way to the upstream',
    'request_header Connection `(?i)^(?:.*?\\b(upgrade)\\b.*|.*)$` $1',
  ];
};

/**
 * 2.6.2 sends the upstream its own placeholder for a header that the service did not set. `$1` stands
 * for nothing: with an empty word instead, Caddy would set the header.
 */
const UNSET = [
  '# what the service did not set stays empty',
  'request_header * * `^\\{http\\.reverse_proxy\\.header\\.[^{}]*\\}$` $1',
];

/**
 * Headers of a visitor that a service may believe about where a request is from and goes to, beside or
 * more than those that Caddy sets. Some take `_` and `.` for `-`, so it gets no header with these at all.
 */
const UNBELIEVED = [
  '*_*',
  '*.*',
  '*Original*',
  'Forwarded',
  'X-Forwarded',
  'Cf-Connecting*',
  '*Client-Ip',
  '*ClientIp',
  '*User-Ip',
  'X-Forwarded-Port',
  'X-Forwarded-Prefix',
  'X-Forwarded-S*',
].map((pattern) => `\theader_up -${pattern}`);

/** What asks: only with a status of 2xx the request goes on; without an answer it gets 502. */
export function asking({ address, uri, copyHeaders, ...exempt }: Asking, writing: Writing): Line[] {
  const { lines, matcher } = guarded(exempt, writing);
  const names = copyHeaders.map(canonical);
  const isTold = writing.wording.clientIp === 'client_ip';
  const client = isTold ? 'http.vars.client_ip' : 'http.request.remote.host';
  return [
    ...lines,
    { text: `forward_auth${matcher} ${address} {`, field: 'address' },
    // Without a query of its own, Caddy would pass on the visitor's, as parameters of the service.
    { text: `\turi ${uri.includes('?') ? uri : `${uri}?`}`, field: 'uri' },
    ...(names.length > 0
      ? [{ text: `\tcopy_headers ${names.join(' ')}`, field: 'copyHeaders' }]
      : []),
    ...UNBELIEVED,
    // Caddy passes on what a trusted proxy says, of which a visitor may have invented a part.
    `\theader_up X-Forwarded-For {${client}}`,
    `\theader_up X-Real-Ip {${client}}`,
    '\theader_up X-Forwarded-Host {http.request.hostport}',
    // Behind TLS, a service is found by its own name.
    ...(/^https:/i.test(address)
      ? ['\theader_up Host {http.reverse_proxy.upstream.hostport}']
      : []),
    '}',
    ...(names.length > 0 ? UNSET : []),
  ];
}
