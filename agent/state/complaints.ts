/** Lines of Caddy's own log that tell of a certificate or an upstream. Pure. */

import { field, type Json } from '../caddy/json.ts';
import { cleanSentence } from '../caddy/words.ts';

/** What a line says; `at` in milliseconds since 1970. */
export type Complaint =
  /** The issuer refused, or the challenge failed. */
  | { kind: 'acme'; at: number; name: string; message: string }
  /** The next attempt for a name. */
  | { kind: 'retry'; at: number; name: string; retryAt: number }
  | { kind: 'obtained'; at: number; name: string }
  /** A request found no upstream that answered; `secure` where it came over TLS. */
  | {
      kind: 'upstream';
      at: number;
      host: string;
      secure: boolean;
      message: string;
      dialled: string | null;
    }
  /** An active health check went wrong, or went well again. */
  | { kind: 'unhealthy'; at: number; address: string; message: string }
  | { kind: 'healthy'; at: number; address: string };

const HEALTH = 'http.handlers.reverse_proxy.health_checker';

/** Bad gateway, unavailable, timeout: what Caddy answers where the upstream is at fault. */
const isUpstreamFault = (status: Json | undefined) =>
  status === 502 || status === 503 || status === 504;

/** `dial tcp 127.0.0.1:9: connect: …`, `dial tcp: lookup db on …`, `dial unix /run/x: …` */
const DIALLED = /\bdial (?:tcp|udp|unix)[46]?(?: (\S+?)|: lookup (\S+?)(?: on \S+)?): /;

/** Null for a line that says nothing of the kind, whatever it is. */
export function readComplaint(line: string): Complaint | null {
  let entry: Json;
  try {
    entry = JSON.parse(line) as Json;
  } catch {
    return null;
  }
  const at = Number(field(entry, 'ts')) * 1000;
  const logger = field(entry, 'logger');
  const said = textOf(entry, 'msg');
  if (!isTime(at) || typeof logger !== 'string') return null;
  if (/^http\.log\.error(\.|$)/.test(logger)) return ofRequest(entry, at, said);
  if (logger.startsWith(HEALTH)) return ofHealth(entry, at, said);
  return logger.startsWith('tls.') ? ofCertificate(entry, at, said) : null;
}

function ofRequest(entry: Json, at: number, said: string): Complaint | null {
  const request = field(entry, 'request');
  const host = field(request, 'host');
  if (!isUpstreamFault(field(entry, 'status')) || typeof host !== 'string') return null;
  const [, address, name] = DIALLED.exec(said) ?? [];
  return {
    kind: 'upstream',
    at,
    host,
    secure: field(request, 'tls') !== undefined,
    message: cleanSentence(said),
    dialled: address ?? name ?? null,
  };
}

function ofHealth(entry: Json, at: number, said: string): Complaint | null {
  const address = textOf(entry, 'host').replace(/^\w+:\/\//, '');
  if (address === '') return null;
  if (said === 'host is up') return { kind: 'healthy', at, address };
  const reason = textOf(entry, 'error');
  const status = field(entry, 'status_code');
  const more = reason || (typeof status === 'number' ? String(status) : '');
  const message = cleanSentence(more === '' ? said : `${said}: ${more}`);
  return { kind: 'unhealthy', at, address, message };
}

function ofCertificate(entry: Json, at: number, said: string): Complaint | null {
  const level = field(entry, 'level');
  const error = textOf(entry, 'error');
  const name = textOf(entry, 'identifier');
  if (level === 'info') {
    const isDone = name !== '' && /^certificate (obtained|renewed) successfully/.test(said);
    return isDone ? { kind: 'obtained', at, name } : null;
  }
  if (level !== 'error') return null;
  if (said === 'will retry') {
    const seconds = Number(field(entry, 'retrying_in'));
    const [, named = ''] = /^\[([^\]\s]+)\]/.exec(error) ?? [];
    const retryAt = at + seconds * 1000;
    return named === '' || !isTime(retryAt) ? null : { kind: 'retry', at, name: named, retryAt };
  }
  if (name === '') return null;
  const problem = field(entry, 'problem');
  const reason = error || textOf(problem, 'detail');
  return { kind: 'acme', at, name, message: cleanSentence(reason || said) };
}

/** Whether a calendar has it; beyond that it could not be told. */
const isTime = (at: number): boolean => !Number.isNaN(new Date(at).getTime());

function textOf(entry: Json | undefined, name: string): string {
  const value = field(entry, name);
  return typeof value === 'string' ? value : '';
}
