/** Recognises programs by how they refuse a request. Pure. */

/** By the body, and for some the status; the first that matches counts. */
const APPS: readonly { app: string; status: readonly number[]; body: RegExp }[] = [
  { app: 'Nextcloud', status: [400], body: /untrusted domain|trusted_domains/i },
  { app: 'Vite', status: [403], body: /Blocked request\. This host|allowedHosts/ },
  { app: 'Django', status: [400], body: /DisallowedHost|Invalid HTTP_HOST header|ALLOWED_HOSTS/ },
  { app: 'Django', status: [400], body: /<h1>Bad Request \(400\)<\/h1>/ },
  { app: 'Rails', status: [403], body: /Blocked hosts?:|config\.hosts/ },
  { app: 'webpack', status: [403], body: /^Invalid Host(?:\/Origin)? header/ },
  { app: 'Home Assistant', status: [400], body: /^400: Bad Request\s*$/ },
];

/** The name of the program; null if it is none that is known. */
export function refusingApp(status: number, body: string): string | null {
  const match = APPS.find((one) => one.status.includes(status) && one.body.test(body));
  return match?.app ?? null;
}

/** What a server says of itself that got plain HTTP and wanted TLS. */
const WANTS_TLS =
  /HTTP request (?:was sent )?to an? HTTPS (?:server|port)|plain HTTP to an SSL-enabled|requires TLS|TLS required/i;

/** Whether an answer to plain HTTP says that TLS is wanted. */
export const wantsTls = (body: string): boolean => WANTS_TLS.test(body);

/** The printable characters of what came first; null if hardly any are. */
export function printable(bytes: Buffer): string | null {
  const text = bytes
    .toString('latin1')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim();
  return text.length >= 3 ? text : null;
}
