/** What a text in a recipe's values must look like, by the `format` of its field. Pure. */
import { isIP } from 'node:net';
import { faultOfAuthorities } from './authorities.ts';
import { comparable } from './networks.ts';
import { isQuotable } from './quote.ts';

/** What they say completes "must be …". */
type Format = { is(text: string): boolean; name: string } | { fault(text: string): string | null };

/** Bytes; bcrypt ignores the rest. */
const MAX_PASSWORD = 72;

const HOST = String.raw`(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[\w.-]*[a-z0-9])?)`;
const UPSTREAM = new RegExp(`^(https?://)?(${HOST})(?::(\\d{1,5}))?$`, 'i');
const TARGET = new RegExp(`^https?://${HOST}(?::\\d{1,5})?(?:/[^\\s{}"'\`\\\\<>]*)?$`, 'i');

/** `2a`, `2b` and `2y` are one algorithm. Each step of the cost doubles the time: 16 takes seconds. */
const BCRYPT = /^\$2[aby]\$(?:0[4-9]|1[0-6])\$[./A-Za-z0-9]{53}$/;

/** Headers that carry the request itself. */
const OWN_HEADERS =
  /^(?:connection|content-length|cookie|host|te|trailer|transfer-encoding|upgrade)$/i;

const FORMATS: Record<string, Format> = {
  network: {
    name: 'an IP address, a network such as 192.168.1.0/24, or private_ranges',
    is: (text) => text === 'private_ranges' || comparable(text) !== null,
  },
  upstream: {
    name: 'host:port, or an http:// or https:// address without a path',
    is: (text) => isUpstream(text) && /^https?:|:\d+$/i.test(text),
  },
  'host-port': {
    name: 'host or host:port',
    is: (text) => isUpstream(`https://${text}`),
  },
  wildcard: {
    name: 'a wildcard such as *.home.example',
    is: (text) => /^\*(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)+$/i.test(text),
  },
  target: {
    name: 'an http:// or https:// address',
    is: (text) => TARGET.test(text) && URL.canParse(text) && isQuotable(text),
  },
  path: {
    name: 'a path such as /feed, or the beginning of paths such as /api/*',
    // With a [ it would be a pattern of several paths.
    is: (text) =>
      /^\/[^\s*?#%{}[\]"`\\]*$|^\/[^\s*?#%{}[\]"`\\]+\*$/.test(text) && isQuotable(text),
  },
  'request-uri': {
    name: 'a path with an optional query, such as /api/verify?rd=https://auth.example.org',
    is: (text) => /^\/[\w./~:?&=%+,;@!-]*$/.test(text),
  },
  folder: {
    name: 'the absolute path of a folder',
    is: (text) => /^\/[^{}\n\t]*$/.test(text) && isQuotable(text),
  },
  'file-path': {
    name: 'a path inside the folder, such as /index.html',
    is: (text) => /^\/[\w./-]+$/.test(text),
  },
  header: {
    name: 'a header name of letters, digits and hyphens, and not one of the request itself',
    is: (text) => /^[a-z0-9]+(?:-[a-z0-9]+)*$/i.test(text) && !OWN_HEADERS.test(text),
  },
  'user-name': {
    name: 'a name without colon, braces and control characters',
    // Caddy would read `import` at the beginning of a line as its directive.
    is: (text) => !/[:{}\n\t]/.test(text) && text !== 'import' && isQuotable(text),
  },
  password: {
    name: `at most ${MAX_PASSWORD} bytes, without control characters`,
    is: (text) => Buffer.byteLength(text) <= MAX_PASSWORD && !/\p{Cc}/u.test(text),
  },
  bcrypt: { name: 'a bcrypt hash', is: (text) => BCRYPT.test(text) },
  'header-value': {
    name: 'one line without braces',
    is: (text) => !/[{}\n\t]/.test(text) && isQuotable(text),
  },
  text: {
    name: 'one line without {$',
    is: (text) => !/[\n\t]/.test(text) && isQuotable(text),
  },
  textarea: {
    name: 'text without {$, and without backticks if a backslash precedes a quote',
    is: isQuotable,
  },
  authorities: { fault: faultOfAuthorities },
  size: { name: 'a size such as 100MB', is: (text) => /^[1-9]\d{0,5}(?:KB|MB|GB)$/.test(text) },
};

/** What a text fails to be, such as `a bcrypt hash`; null if it has the format. @throws Error if there is no such format */
export function faultOf(text: string, format: string): string | null {
  const known = FORMATS[format];
  if (!known) throw new Error(`there is no format ${format}`);
  if ('fault' in known) return known.fault(text);
  return known.is(text) ? null : known.name;
}

function isUpstream(text: string): boolean {
  const [found, , host = '', port = '443'] = UPSTREAM.exec(text) ?? [];
  if (found === undefined || Number(port) < 1 || Number(port) > 65_535) return false;
  return !host.startsWith('[') || isIP(host.slice(1, -1)) === 6;
}
