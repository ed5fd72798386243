/**
 * Posts JSON to an address that someone entered, without trusting what answers; says why a message
 * was not accepted, without revealing the target.
 */
import { within } from '../../../shared/async.ts';
import { Failure } from '../../../shared/failure.ts';

/**
 * What the answers of a service mean: patterns of a status with the beginning of the body, as in
 * `404 no_service`, and the words for them. An answer that fits one is a failure, whatever its status.
 */
export type Reasons = readonly (readonly [RegExp, string])[];

const ANY_SERVICE: Reasons = [
  [/^30[12378] /, 'redirects are not followed'],
  [/^429 /, 'too many messages'],
];

/** Characters of the body of an answer that are read, and milliseconds for that. */
const ANSWER = { longest: 2_000, deadline: 1_000 };

/**
 * The status decides. Of a failure, the beginning of the body and `Retry-After` are read too, but nothing of them is
 * quoted, and never the address of a redirect, which the server would choose.
 * @throws Failure CHANNEL_FAILED
 */
export async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  reasons: Reasons = [],
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
  const answer = `${status} ${await beginningOf(response)}`;
  const reason = [...reasons, ...ANY_SERVICE].find(([pattern]) => pattern.test(answer))?.[1];
  if (ok && reason === undefined) return;
  const detail = `HTTP ${status}${reason === undefined ? '' : `: ${reason}`}`;
  throw notTaken(detail, secondsOf(response.headers.get('Retry-After'), answer));
}

/** Of the body of a failure, as text; a success is not read at all. */
async function beginningOf({ ok, body }: Response): Promise<string> {
  const reader = body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  const read = async () => {
    while (text.length < ANSWER.longest) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
    }
  };
  // What has arrived is enough if the rest fails.
  if (!ok) await within(read(), ANSWER.deadline, () => {}).catch(() => {});
  await reader.cancel().catch(() => {});
  return text.slice(0, ANSWER.longest);
}

/** As a header has it, or the JSON of Discord and Telegram; undefined if neither does. */
function secondsOf(header: string | null, answer: string): number | undefined {
  const text = header ?? /"retry_after":\s*([\d.]+)/.exec(answer)?.[1] ?? '';
  return /^\d{1,6}(\.\d+)?$/.test(text) ? Math.ceil(Number(text)) : undefined;
}

/**
 * @param detail without anything of the target
 * @param retryAfter seconds before which another attempt is useless
 */
export const notTaken = (detail: string, retryAfter?: number): Failure =>
  new Failure('CHANNEL_FAILED', 'The channel did not accept the message.', { detail, retryAfter });

/** The address of a path on a server, whose URL may have a path and end with a slash. */
export const addressOf = (url: string, path: string): string =>
  `${url.replace(/\/+$/, '')}/${path}`;

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
