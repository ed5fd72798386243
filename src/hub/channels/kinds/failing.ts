/** Why a message was not taken, in words without anything of the target. */
import { Failure } from '../../../shared/failure.ts';

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
