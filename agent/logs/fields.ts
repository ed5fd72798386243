import { at, literal, plainString } from './bytes.ts';
import type { EntryFacts } from './entry.ts';
import type { Scanned } from './scan.ts';

const REMOTE_PORT = literal('","remote_port":"');
const CLIENT_IP = literal('","client_ip":"');
const PROTO = literal('","proto":"');
const METHOD = literal('","method":"');
const HOST_KEY_LENGTH = '","host":"'.length;
const QUESTION_MARK = 0x3f;

/**
 * Method, path and address of a line that the scanner has recognised, straight from its bytes.
 * Undefined where they do not stand as Caddy writes them; `view` is one of the buffer.
 */
export function requestFields(
  buffer: Buffer,
  view: DataView,
  found: Scanned,
): Pick<EntryFacts, 'method' | 'path' | 'ip'> | undefined {
  let ipStart = found.ipStart;
  let ipEnd = plainString(buffer, ipStart);
  if (ipEnd < 0 || !at(buffer, view, ipEnd, REMOTE_PORT)) return undefined;
  let p = plainString(buffer, ipEnd + REMOTE_PORT.length);
  if (p >= 0 && at(buffer, view, p, CLIENT_IP)) {
    ipStart = p + CLIENT_IP.length;
    ipEnd = plainString(buffer, ipStart);
    p = ipEnd;
  }
  if (p < 0 || !at(buffer, view, p, PROTO)) return undefined;
  p = plainString(buffer, p + PROTO.length);
  if (p < 0 || !at(buffer, view, p, METHOD)) return undefined;
  const methodStart = p + METHOD.length;
  const methodEnd = plainString(buffer, methodStart);
  if (methodEnd < 0 || methodEnd + HOST_KEY_LENGTH !== found.hostStart) return undefined;
  let pathEnd = found.uriStart;
  while (pathEnd < found.uriEnd && buffer[pathEnd] !== QUESTION_MARK) pathEnd++;
  return {
    method: buffer.toString('utf8', methodStart, methodEnd),
    path: buffer.toString('utf8', found.uriStart, pathEnd),
    ip: buffer.toString('utf8', ipStart, ipEnd),
  };
}
