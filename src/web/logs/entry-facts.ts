/** Sorts what Caddy wrote about a request into groups for a person. Pure. */
import type { LogEntry } from '../lib/types.ts';
import type { FilterKey } from './filter/filters.ts';

/** A value, and the filter that it can be used for. */
export type Fact = { label: string; value: string; filter?: FilterKey };
type FactGroup = { title: string; facts: Fact[] };

/** The numbers of RFC 8446, 4.1.2 and RFC 5246, appendix A.1. */
const TLS_VERSIONS: Readonly<Record<number, string>> = {
  769: 'TLS 1.0',
  770: 'TLS 1.1',
  771: 'TLS 1.2',
  772: 'TLS 1.3',
};

/** Those that Caddy offers; from the IANA registry "TLS Cipher Suites". */
const CIPHER_SUITES: Readonly<Record<number, string>> = {
  4865: 'TLS_AES_128_GCM_SHA256',
  4866: 'TLS_AES_256_GCM_SHA384',
  4867: 'TLS_CHACHA20_POLY1305_SHA256',
  49195: 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  49196: 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  49199: 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  49200: 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  52392: 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
  52393: 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
};

const at = (value: unknown, ...names: string[]): unknown =>
  names.reduce<unknown>(
    (of, name) =>
      typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[name] : undefined,
    value,
  );

/** A value as text; empty if there is none. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const named = (names: Readonly<Record<number, string>>, value: unknown): string =>
  typeof value === 'number' ? (names[value] ?? `0x${value.toString(16)}`) : '';

const headersOf = (value: unknown): Fact[] =>
  Object.entries(typeof value === 'object' && value !== null ? value : {})
    .map(([label, one]) => ({ label, value: textOf(one) }))
    .sort((a, b) => a.label.localeCompare(b.label));

/** What the row already shows comes from the entry itself; values that are missing are left out. */
export function factsOf(entry: LogEntry): FactGroup[] {
  const { details, error } = entry;
  const request = at(details, 'request');
  const uri = textOf(at(request, 'uri'));
  const query = uri.includes('?') ? uri.slice(uri.indexOf('?') + 1) : '';
  const tls = at(request, 'tls');
  const groups: FactGroup[] = [
    {
      title: 'Response',
      facts: [
        { label: 'Status', value: String(entry.status), filter: 'status' },
        { label: 'Error', value: error ?? '' },
        { label: 'Proxy', value: entry.agent ?? '', filter: 'agent' },
        { label: 'Latency', value: entry.latency },
        { label: 'Bytes sent', value: textOf(at(details, 'size')) },
        { label: 'Bytes read', value: textOf(at(details, 'bytes_read')) },
      ],
    },
    {
      title: 'Client',
      facts: [
        { label: 'IP address', value: entry.ip, filter: 'ip' },
        { label: 'Port', value: textOf(at(request, 'remote_port')) },
        {
          label: 'User agent',
          value: textOf(at(request, 'headers', 'User-Agent')),
          filter: 'userAgent',
        },
        { label: 'Referer', value: textOf(at(request, 'headers', 'Referer')) },
        { label: 'User', value: textOf(at(details, 'user_id')) },
      ],
    },
    {
      title: 'Request',
      facts: [
        { label: 'Method', value: entry.method, filter: 'method' },
        { label: 'Query', value: query },
        { label: 'Protocol', value: textOf(at(request, 'proto')) },
        { label: 'TLS version', value: named(TLS_VERSIONS, at(tls, 'version')) },
        { label: 'TLS cipher suite', value: named(CIPHER_SUITES, at(tls, 'cipher_suite')) },
        { label: 'TLS server name', value: textOf(at(tls, 'server_name')) },
      ],
    },
    { title: 'Request headers', facts: headersOf(at(request, 'headers')) },
    { title: 'Response headers', facts: headersOf(at(details, 'resp_headers')) },
  ];
  return groups
    .map(({ title, facts }) => ({ title, facts: facts.filter(({ value }) => value !== '') }))
    .filter(({ facts }) => facts.length > 0);
}
