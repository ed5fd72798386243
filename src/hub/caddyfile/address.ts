/** Addresses of sites and upstreams: which are valid, and their normal forms. Pure. */

import { domainToASCII } from 'node:url';
import type { Ports } from '../../shared/caddyfile/globals.ts';
import { isLoopback } from '../../shared/loopback.ts';

/** Longest host name and longest label of one, in octets (RFC 1035 §2.3.4). */
const HOST_MAX = 253;
const LABEL_MAX = 63;

const STANDARD_PORTS: Ports = { http: 80, https: 443 };

/** Longer addresses are not read; Caddy truncates them. */
const ADDRESS_MAX = 4096;

/**
 * The normal form of a vhost's domain: `[http[s]://]host[:port]` in lower case and punycode, without
 * a trailing dot or a default port.
 * @returns null for everything else, including what Caddy would accept although it is not a host
 */
export function normalizeDomain(input: string): string | null {
  if (input.length > ADDRESS_MAX) return null;
  const [, scheme = '', rest = ''] = /^(https?:\/\/)?(.*)$/is.exec(input) ?? [];
  const secure = scheme.toLowerCase();
  const split = splitPort(rest);
  if (!split) return null;
  const host = normalizeHost(split.host);
  // A line that begins with this word imports a file, wherever it is.
  if (host === null || input === 'import') return null;
  const port = split.port === null ? null : validPort(split.port);
  if (port === undefined) return null;
  if ((secure === 'http://' && port === 443) || (secure === 'https://' && port === 80)) return null;
  const isDefault = port === null || port === (secure === 'http://' ? 80 : 443);
  return `${secure}${host}${isDefault ? '' : `:${port}`}`;
}

/**
 * A key to compare addresses by: the same for all that differ only in case, a trailing dot, Unicode
 * or punycode, a default port or a scheme that the port implies. Never fails. `{$NAME}` and
 * `{$NAME:default}` are compared as written, since only the proxy knows their values.
 * @param ports the ports that the global options set
 */
export function addressKey(address: string, ports: Ports = STANDARD_PORTS): string {
  if (address.length > ADDRESS_MAX) return address;
  const placeholders: string[] = [];
  const text = address.trim().replace(/\{[^{}]*\}/g, (placeholder) => {
    placeholders.push(placeholder);
    return `\0${placeholders.length - 1}\0`;
  });
  const [, scheme = '', rest = ''] = /^(?:(.*?):\/\/)?(.*)$/s.exec(text) ?? [];
  const slash = rest.indexOf('/');
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const written = slash < 0 ? '' : rest.slice(slash).toLowerCase();
  // Matching every path is the same as having none.
  const path = written === '/*' ? '' : written;
  const split = splitPort(authority) ?? { host: authority, port: null };
  const host = normalizeHost(split.host) ?? asciiHost(split.host);
  const port = split.port === null ? '' : split.port.replace(/^0+(?=\d)/, '');
  const named = scheme.toLowerCase();
  const plain = named === 'http' || (named === '' && port === String(ports.http));
  const prefix = plain ? 'http://' : named === '' || named === 'https' ? '' : `${named}://`;
  const isDefault = port === '' || port === String(plain ? ports.http : ports.https);
  const key = `${prefix}${host}${isDefault ? '' : `:${port}`}${path}`;
  // An address without a host, for example `:443`, still needs a key.
  const whole = key === '' || key.startsWith('/') ? `:443${key}` : key;
  return whole.replace(/\0(\d+)\0/g, (_, index) => placeholders[Number(index)] ?? '');
}

/**
 * Whether a word may be an address of a whole block: Caddy accepts any scheme and port, and fails
 * only when it is to serve them, if at all. The host may be anything.
 */
export function isSiteAddress(address: string): boolean {
  if (address === 'import' || /^(?:&?\(|@)/.test(address)) return false;
  const [, scheme = 'http', rest = ''] = /^(?:(.*?):\/\/)?(.*)$/s.exec(address) ?? [];
  if (!/^https?$/i.test(scheme)) return false;
  const port = /:([0-9]+)$/.exec(rest.split('/')[0] ?? '')?.[1];
  return port === undefined || rest.includes('::') || validPort(port) !== undefined;
}

/**
 * Whether `text` is an upstream: `host:port`, or `http://`, `https://` or `h2c://` with a host and
 * optionally a port. Whatever passes is a single word of a Caddyfile.
 */
export function isUpstream(text: string): boolean {
  const [, scheme = '', rest = ''] = /^((?:https?|h2c):\/\/)?(.*)$/is.exec(text) ?? [];
  const split = splitPort(rest);
  if (!split || (split.port === null && scheme === '')) return false;
  if (split.port !== null && validPort(split.port) === undefined) return false;
  if (split.host.startsWith('[') !== rest.startsWith('[')) return false;
  if (/[^\x21-\x7e]/.test(split.host)) return false;
  return !split.host.startsWith('*') && normalizeHost(split.host) !== null;
}

/** The same for all spellings of an upstream's host and port. */
export function serviceAt(upstream: string): string {
  const [, scheme = 'http', rest = ''] = /^(?:(\w+):\/\/)?(.*)$/.exec(upstream.toLowerCase()) ?? [];
  const [, host = rest, port] = /^(.*?)(?::(\d+))?$/.exec(rest) ?? [];
  const name = isLoopback(host.replace(/^\[|\]$/g, '')) ? 'localhost' : host;
  return `${name}:${port ?? (scheme === 'https' ? 443 : 80)}`;
}

/** A host and its port, null if none is written; an IPv6 address without brackets has none. */
function splitPort(authority: string): { host: string; port: string | null } | null {
  const match = /^(\[[^\]]*\]|[^:[\]]*)(?::([^:]*))?$/s.exec(authority);
  if (match) return { host: match[1] ?? '', port: match[2] ?? null };
  return normalizeIpv6(authority) === null ? null : { host: `[${authority}]`, port: null };
}

/** A port that can be listened on or dialled; undefined for anything else. */
function validPort(text: string): number | undefined {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** A host in normal form, IPv6 in brackets; null if it is not a host. */
function normalizeHost(host: string): string | null {
  if (host.startsWith('[')) return normalizeIpv6(host.slice(1, -1));
  const wildcard = host.startsWith('*.') ? '*.' : '';
  const name = asciiHost(host.slice(wildcard.length));
  if (name === '' || wildcard.length + name.length > HOST_MAX) return null;
  const labels = name.split('.');
  // Caddy accepts invalid punycode, and then fails to get a certificate for it.
  if (name.includes('xn--') && domainToASCII(name) === '') return null;
  const valid = labels.every(
    (label) => label.length <= LABEL_MAX && /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(label),
  );
  if (!valid) return null;
  // With a numeric last label every client takes it for an IPv4 address, so it must be a valid one.
  const numeric = /^(?:[0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '');
  return !numeric || (wildcard === '' && isIpv4(labels)) ? wildcard + name : null;
}

function isIpv4(labels: readonly string[]): boolean {
  const octet = /^(?:0|[1-9][0-9]{0,2})$/;
  return labels.length === 4 && labels.every((label) => octet.test(label) && Number(label) <= 255);
}

/** Lower case, punycode, no trailing dot; stays as it is if it cannot be converted. */
function asciiHost(host: string): string {
  const lower = host.toLowerCase().replace(/^([^.].*)\.$/s, '$1');
  if (!/[^\0-\x7f]/.test(lower) || /[^\P{ASCII}a-z0-9_.-]|[\s\p{Cc}]/u.test(lower)) return lower;
  return domainToASCII(lower).replace(/\.$/, '') || lower;
}

/** The shortest form of an IPv6 address, in brackets; null if it is not one. */
function normalizeIpv6(text: string): string | null {
  if (!/^[0-9a-f:.]+$/i.test(text) || !text.includes(':')) return null;
  const url = URL.parse(`http://[${text}]/`);
  return url === null ? null : url.hostname;
}

/** What an upstream with a path needs instead. */
export const NO_PATH =
  'Remove the path, which an upstream cannot have, not even a slash at its end. To change the path of requests, use `rewrite` or `handle_path` in the config.';

/** How to write an address without its path; undefined if it has none, or is not an address. */
export function pathHint(target: string): string | undefined {
  const origin = /^((?:https?:\/\/|h2c:\/\/)?[^/?#]+)[/?#]/i.exec(target)?.[1];
  return origin !== undefined && isUpstream(origin) ? `Write ${origin}. ${NO_PATH}` : undefined;
}
