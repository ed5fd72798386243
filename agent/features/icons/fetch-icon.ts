/** Asks a site for its icon, through the proxy as a visitor would: two requests at most, and nothing of another site. */
import { imageType, MOST_BYTES } from '../../../src/features/icons/shared/image.ts';
import type { IconAnswer } from '../../../src/features/icons/wire.ts';
import { addressOf, hostOf, type Place, requestAt } from '../../sites/checks/ask.ts';
import { linkIn } from './link-in.ts';

/** For all of it. */
const TIMEOUT_MS = 5_000;
const USUAL = '/favicon.ico';

/** The site did not answer. */
export const SILENT: IconAnswer = { answered: false, icon: null, path: null };
const NONE: IconAnswer = { ...SILENT, answered: true };

/** `body`: its first bytes, and one more than an icon may have if there are more. */
type Page = { url: URL; status: number; location: string | null; body: Buffer };

/**
 * Never rejects.
 * @param named the path that a page named before; null: not known
 */
export async function fetchIcon(
  place: Place,
  named: string | null,
  userAgent: string,
): Promise<IconAnswer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const get = (path: string) => pageAt(place, path, userAgent, signal).catch(() => null);
  const first = await get(named ?? USUAL);
  if (first === null || first.status >= 500) return SILENT;
  const icon = iconIn(first);
  if (icon !== null) return { ...NONE, icon };
  // Many programs answer any path with their page.
  const next = redirectOf(first) ?? (named === null ? (linkIn(first) ?? '/') : null);
  const second = next === null ? null : await get(next);
  if (second === null) return NONE;
  const path = next === '/' ? linkIn(second) : null;
  return { ...NONE, icon: iconIn(second), path: path === USUAL ? null : path };
}

/** @throws if the site does not answer in time */
async function pageAt(
  place: Place,
  path: string,
  userAgent: string,
  signal: AbortSignal,
): Promise<Page> {
  const host = await addressOf(place);
  if (host === null) throw new Error('not an address of this machine');
  const request = await requestAt(place, host, { path, userAgent });
  const { promise, resolve, reject } = Promise.withResolvers<Page>();
  const end = () => request.destroy(new Error('too late'));
  if (signal.aborted) end();
  signal.addEventListener('abort', end);
  request.on('error', reject);
  request.once('response', (response) => {
    const { statusCode: status = 0, headers } = response;
    const url = new URL(path, `${place.tls ? 'https' : 'http'}://${hostOf(place)}`);
    let body = Buffer.alloc(0);
    const done = () => resolve({ url, status, location: headers.location ?? null, body });
    response.on('data', (chunk: Buffer) => {
      body = Buffer.concat([body, chunk]).subarray(0, MOST_BYTES + 1);
      if (body.length > MOST_BYTES) done();
    });
    response.once('end', done);
    response.once('close', () => reject(new Error('cut off')));
    response.once('error', reject);
  });
  request.end();
  return promise.finally(() => {
    signal.removeEventListener('abort', end);
    request.destroy();
  });
}

/** In Base64. */
const iconIn = ({ status, body }: Page): string | null =>
  status === 200 && imageType(body) !== null ? body.toString('base64') : null;

/** Where a redirect leads on the same site. */
function redirectOf({ url, status, location }: Page): string | null {
  if (location === null || status < 300 || status > 399) return null;
  const to = URL.parse(location, url.href);
  return to?.origin === url.origin ? `${to.pathname}${to.search}` : null;
}
