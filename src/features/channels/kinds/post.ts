/**
 * Posts JSON to an address that someone entered, without trusting what answers; says why a message
 * was not accepted, without revealing the target.
 */
import { Failure } from '../../../shared/failure.ts';

/**
 * The status decides, and nothing else of the answer is read: not an endless body, and not the
 * address of a redirect, which the server would choose.
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

/** @param detail without anything of the target */
export const notTaken = (detail: string): Failure =>
  new Failure('CHANNEL_FAILED', 'The channel did not accept the message.', { detail });

/** By the code of an error of Bun, BoringSSL or nodemailer. */
const REASONS: readonly [RegExp, string][] = [
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/, 'connection refused, or no route'],
  [/^(EAI_|ENOTFOUND$|EDNS$)/, 'its name cannot be resolved'],
  [/CERT|UNABLE_TO_VERIFY/, 'its certificate is not trusted'],
  [/^(EPROTO$|ERR_SSL|ERR_TLS|ETLS)/, 'the TLS handshake failed'],
  [/^(ResponseHeadersTooLarge|Malformed_HTTP)/, 'it does not speak HTTP'],
  [/^EPROTOCOL$/, 'it does not speak SMTP'],
  [/^(ECONNRESET|ECONNECTION|EPIPE)$/, 'the connection was closed'],
];

/** @param code of the error, whose message may contain the target */
export const failedWith = (code: string): Failure =>
  notTaken(REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'the connection failed');
