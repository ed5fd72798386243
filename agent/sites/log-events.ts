/** Reads the lines of Caddy's own log that concern a certificate or an upstream. Pure. */
import { field, type Json, parseJson } from '../../src/shared/json.ts';
import { cleanSentence } from '../caddy/words.ts';
import type { IsCheck } from '../logs/line/classifier.ts';
import { checkWordIn } from '../logs/line/entry.ts';

/** One line; times in milliseconds since 1970. */
export type LogEvent =
  /** The issuer refused, or the challenge failed. */
  | { kind: 'acme'; at: number; name: string; message: string }
  /** When Caddy tries a name again. */
  | { kind: 'retry'; at: number; name: string; retryAt: number }
  | { kind: 'obtained'; at: number; name: string }
  /** No upstream answered a request; `secure` if the request came over TLS. */
  | {
      kind: 'upstream';
      at: number;
      host: string;
      secure: boolean;
      message: string;
      dialled: string | null;
    }
  /** An active health check failed, or succeeded again. */
  | { kind: 'unhealthy'; at: number; address: string; message: string }
  | { kind: 'healthy'; at: number; address: string };

const HEALTH = 'http.handlers.reverse_proxy.health_checker';

/** Bad gateway, unavailable, timeout: Caddy's answers when the upstream is at fault. */
const isUpstreamFault = (status: Json | undefined) =>
  status === 502 || status === 503 || status === 504;

/** `dial tcp 127.0.0.1:9: connect: …`, `dial tcp: lookup db on …`, `dial unix /run/x: …` */
const DIALLED = /\bdial (?:tcp|udp|unix)[46]?(?: (\S+?)|: lookup (\S+?)(?: on \S+)?): /;

/**
 * Null for any other line, even if it is not JSON.
 * @param isCheck whether a request was only a check, whose failure is in its own answer
 */
export function readLogEvent(line: string, isCheck: IsCheck): LogEvent | null {
  const entry = parseJson(line);
  const at = Number(field(entry, 'ts')) * 1000;
  const logger = field(entry, 'logger');
  const message = textOf(entry, 'msg');
  if (!isTime(at) || typeof logger !== 'string') return null;
  if (/^http\.log\.error(\.|$)/.test(logger)) return ofRequest(entry, at, message, isCheck);
  if (logger.startsWith(HEALTH)) return ofHealth(entry, at, message);
  return /^tls(\.|$)/.test(logger) ? ofCertificate(entry, at, message) : null;
}

function ofRequest(entry: Json, at: number, msg: string, isCheck: IsCheck): LogEvent | null {
  const request = field(entry, 'request');
  const host = field(request, 'host');
  if (!isUpstreamFault(field(entry, 'status')) || typeof host !== 'string') return null;
  const word = checkWordIn(field(request, 'headers'));
  const client = field(request, 'client_ip') ?? field(request, 'remote_ip');
  if (word !== null && isCheck(word, at, String(client))) return null;
  const [, address, name] = DIALLED.exec(msg) ?? [];
  return {
    kind: 'upstream',
    at,
    host,
    secure: field(request, 'tls') !== undefined,
    message: cleanSentence(msg),
    dialled: address ?? name ?? null,
  };
}

function ofHealth(entry: Json, at: number, msg: string): LogEvent | null {
  const address = textOf(entry, 'host').replace(/^\w+:\/\//, '');
  if (address === '') return null;
  if (msg === 'host is up') return { kind: 'healthy', at, address };
  const reason = textOf(entry, 'error');
  const status = field(entry, 'status_code');
  const more = reason || (typeof status === 'number' ? String(status) : '');
  const message = cleanSentence(more === '' ? msg : `${msg}: ${more}`);
  return { kind: 'unhealthy', at, address, message };
}

function ofCertificate(entry: Json, at: number, msg: string): LogEvent | null {
  const level = field(entry, 'level');
  const error = textOf(entry, 'error');
  // A job that was given up names what it was for in its error alone.
  const job = msg === 'job failed' ? /^(\S+): /.exec(error) : null;
  const name = job?.[1] ?? textOf(entry, 'identifier');
  if (level === 'info') {
    const isDone = name !== '' && /^certificate (obtained|renewed) successfully/.test(msg);
    return isDone ? { kind: 'obtained', at, name } : null;
  }
  if (level !== 'error') return null;
  if (msg === 'will retry') {
    const seconds = Number(field(entry, 'retrying_in'));
    const [, named = ''] = /^\[([^\]\s]+)\]/.exec(error) ?? [];
    const retryAt = at + seconds * 1000;
    return named === '' || !isTime(retryAt) ? null : { kind: 'retry', at, name: named, retryAt };
  }
  // A load ends attempts of the configuration before it, which are made again: nobody has refused anything.
  if (name === '' || error.endsWith('context canceled')) return null;
  const problem = field(entry, 'problem');
  const reason = error || textOf(problem, 'detail');
  return { kind: 'acme', at, name, message: cleanSentence(reason || msg) };
}

/** Whether it is a date that can be formatted. */
const isTime = (at: number): boolean => !Number.isNaN(new Date(at).getTime());

function textOf(entry: Json | undefined, name: string): string {
  const value = field(entry, name);
  return typeof value === 'string' ? value : '';
}
