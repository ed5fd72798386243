/** `Authorization: Bearer …` (RFC 6750 2.1). Pure. */

/** The token a request carries, or null. */
export const bearerOf = (headers: Headers): string | null =>
  /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;
