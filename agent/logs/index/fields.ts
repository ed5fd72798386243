import type { EntryFacts } from './entry.ts';
import type { Scanned } from './scanner.ts';

const HOST_KEY_LENGTH = '","host":"'.length;
const QUESTION_MARK = 0x3f;

/**
 * Method, path and address of a line that the scanner has recognised, straight from its bytes.
 * Undefined where they do not stand as Caddy writes them.
 */
export function requestFields(
  buffer: Buffer,
  found: Scanned,
): Pick<EntryFacts, 'method' | 'path' | 'ip'> | undefined {
  const { ipStart, ipEnd, methodStart, hostStart, uriStart, uriEnd } = found;
  if (methodStart > hostStart) return undefined;
  let pathEnd = uriStart;
  while (pathEnd < uriEnd && buffer[pathEnd] !== QUESTION_MARK) pathEnd++;
  return {
    method: buffer.toString('utf8', methodStart, hostStart - HOST_KEY_LENGTH),
    path: buffer.toString('utf8', uriStart, pathEnd),
    ip: buffer.toString('utf8', ipStart, ipEnd),
  };
}
