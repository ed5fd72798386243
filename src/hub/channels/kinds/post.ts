/** Posts JSON to an address that someone entered, without trusting what answers. */
import { failedWith, notTaken } from './failing.ts';

/**
 * The status decides, and nothing else of the answer is read: not a body without an end, and not the
 * address of a redirect, which would be chosen by whoever answers.
 * @throws Failure CHANNEL_FAILED
 */
export async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'User-Agent': 'signalbox', ...headers },
    body,
    redirect: 'manual',
    keepalive: false,
    signal,
  }).catch((error: { code?: unknown; name?: unknown }) => {
    throw failedWith(String(error.code ?? error.name));
  });
  const { ok, status } = response;
  await response.body?.cancel();
  if (ok) return;
  const isRedirect = [301, 302, 303, 307, 308].includes(status);
  throw notTaken(isRedirect ? `HTTP ${status}: redirects are not followed` : `HTTP ${status}`);
}
