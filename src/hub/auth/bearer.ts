/** `Authorization: Bearer …` (RFC 6750 2.1). Pure. */

/** The bearer token of a request, or null. */
export const bearerOf = (headers: Headers): string | null =>
  /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;
