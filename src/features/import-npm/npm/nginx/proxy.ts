/** What `proxy_pass` and the directives about it become: a `reverse_proxy`. Pure. */

import { faultOf } from '../../../../hub/recipes/formats.ts';
import { literally } from '../../../../hub/recipes/quote.ts';
import { UPSTREAM } from '../../../../shared/caddyfile/placeholders.ts';
import { isPlainPath, regexWord, tabbed } from './answers.ts';
import type { Findings } from './findings.ts';
import type { Directive } from './parse.ts';
import type { Inherited } from './settings.ts';
import { expanded, originalWordOf, wordOf } from './words.ts';

/** Where something is forwarded to. */
type Service = {
  /** As `reverse_proxy` takes it. */
  address: string;
  isHttps: boolean;
  /** What nginx sends in the header Host, unless a directive sets it. */
  host: string;
};

/** What a location matches. */
export type Matched = { modifier: '=' | '^~' | ''; path: string };

const OWN_HOST = '{http.reverse_proxy.upstream.hostport}';
const ASKED_HOST = '{http.request.hostport}';

/** The proxied service of the host itself. */
export const ownService = (upstream: string): Service => ({
  address: UPSTREAM,
  isHttps: /^https:/i.test(upstream),
  host: OWN_HOST,
});

const OWN = /^\$forward_scheme:\/\/\$server:\$port/;

/**
 * Where a `proxy_pass` leads, and the lines that change the path before; null if it cannot be said.
 * @param upstream of the host itself; null if it has none
 */
export function passed(
  target: string,
  matched: Matched,
  upstream: string | null,
): { service: Service; change: readonly string[] } | null {
  const own = OWN.exec(target)?.[0];
  if (own !== undefined) {
    // With a variable before it, a path would replace all that is asked for.
    const isWhole = upstream !== null && /^(?:\$request_uri)?$/.test(target.slice(own.length));
    return isWhole ? { service: ownService(upstream), change: [] } : null;
  }
  const [, scheme = '', host = '', rest = ''] = /^(https?):\/\/([^/?#$]+)(.*)$/s.exec(target) ?? [];
  if (faultOf(`${scheme}://${host}`, 'upstream') !== null) return null;
  const change = changeTo(rest, matched);
  const isHttps = scheme === 'https';
  const hasPort = /:\d+$/.test(host);
  const address = `${isHttps ? 'https://' : ''}${host}${hasPort ? '' : isHttps ? ':443' : ':80'}`;
  return change && { service: { address, isHttps, host: hasPort ? OWN_HOST : host }, change };
}

/** The lines that change a path into what a `proxy_pass` has after its host; null if it cannot be said. */
function changeTo(rest: string, { modifier, path }: Matched): string[] | null {
  if (rest === '' || rest === '$request_uri') return [];
  if (!isPlainPath(rest) || !isPlainPath(path)) return null;
  if (modifier === '=') return [`rewrite * ${rest}`];
  return [`uri path_regexp ${regexWord(`^${literally(path)}`)} ${rest}`];
}

/** What Caddy sends as well, or better. */
const SENT_ANYWAY: Record<string, RegExp> = {
  connection: /^/,
  upgrade: /^/,
  'x-forwarded-for': /^\$(?:remote_addr|proxy_add_x_forwarded_for)$/,
  'x-forwarded-host': /^\$(?:host|http_host)$/,
  'x-forwarded-proto': /^\$(?:scheme|x_forwarded_proto)$/,
};

const NO_PORT =
  'Caddy does not tell services the port that a visitor came to: the header X-Forwarded-Port is left out.';

/** The `reverse_proxy` of a location. @param host what the header Host is if nothing sets it */
export function proxied(
  { address, isHttps, host: ownHost }: Service,
  {
    setHeaders,
    hideHeaders,
    isBuffered,
  }: Pick<Inherited, 'setHeaders' | 'hideHeaders' | 'isBuffered'>,
  isAskedHost: boolean,
  stripsAuthorization: boolean,
  findings: Findings,
): string[] {
  const headers: string[] = [];
  let host = isAskedHost ? ASKED_HOST : ownHost;
  for (const { name, args } of setHeaders) {
    const [header = '', value = '', ...more] = args;
    const key = header.toLowerCase();
    const parts = expanded(value);
    if (SENT_ANYWAY[key]?.test(value)) continue;
    if (value === `$http_${key.replaceAll('-', '_')}` && !/^(?:host$|x-forwarded-)/.test(key))
      continue;
    if (key === 'host' && /^\$(?:http_)?host(?::\$server_port)?$/.test(value)) host = ASKED_HOST;
    else if (key === 'host' && value === '$proxy_host') host = ownHost;
    else if (key === 'x-forwarded-port' && value === '$server_port')
      findings.remark('warning', NO_PORT);
    else if (!HEADER.test(header) || more.length > 0 || parts === null)
      findings.cannot([name, ...args].join(' '));
    else if (parts.length === 0) headers.push(`header_up -${header}`);
    else {
      const word = originalWordOf(parts);
      if (word === null || /\n/.test(word)) findings.cannot([name, ...args].join(' '));
      else if (key === 'host') host = word;
      else headers.push(`header_up ${header} ${word}`);
    }
  }
  const hidden = hideHeaders.flatMap(({ name, args }) => {
    if (args.length === 1 && HEADER.test(args[0] ?? '')) return [`header_down -${args[0]}`];
    findings.cannot([name, ...args].join(' '));
    return [];
  });
  const block = [
    ...(isBuffered ? [] : ['flush_interval -1']),
    // For a service with HTTPS, versions differ in which they send if nothing is said.
    ...(host === ASKED_HOST && !isHttps ? [] : [`header_up Host ${host}`]),
    ...headers,
    ...(stripsAuthorization ? ['header_up -Authorization'] : []),
    ...hidden,
    ...(isHttps ? ['transport http {', '\ttls_insecure_skip_verify', '}'] : []),
  ];
  if (block.length === 0) return [`reverse_proxy ${address}`];
  return [`reverse_proxy ${address} {`, ...tabbed(block), '}'];
}

const HEADER = /^[A-Za-z0-9][\w-]{0,99}$/;

/** The lines that add headers to a response, as `add_header` does. */
export function addedHeaders(directives: readonly Directive[], { cannot }: Findings): string[] {
  return directives.flatMap(({ name, args }) => {
    const [header = '', value = '', always = 'always', ...more] = args;
    const parts = expanded(value);
    const word = parts === null || parts.length === 0 ? null : wordOf(parts);
    const isSaid = HEADER.test(header) && always === 'always' && more.length === 0 && word !== null;
    if (isSaid && !/\n/.test(word)) {
      return [`header ${/^content-type$/i.test(header) ? '' : '+'}${header} ${word}`];
    }
    // nginx adds no header that is empty.
    if (parts?.length !== 0) cannot([name, ...args].join(' '));
    return [];
  });
}
