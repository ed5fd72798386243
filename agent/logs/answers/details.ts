/** Everything that Caddy wrote about a request, for a person to read. */

export type Details = Record<string, unknown>;

/** Their values would let a reader of the log act as the visitor (OWASP, Logging Cheat Sheet). */
const SECRET_HEADERS = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'set-cookie',
  'x-api-key',
]);
const REDACTED = ['REDACTED'];

/** Characters of one value; a header or an address may have a million. */
const LONGEST = 10_000;

/** @param line an access entry */
export function detailsOf(line: string): Details {
  return shown(JSON.parse(line)) as Details;
}

function shown(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    return value.length > LONGEST ? `${value.slice(0, LONGEST)} …` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => shown(one));
  const isHeaders = name === 'headers' || name === 'resp_headers';
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      isHeaders && SECRET_HEADERS.has(key.toLowerCase()) ? REDACTED : shown(one, key),
    ]),
  );
}
