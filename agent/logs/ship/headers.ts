/** The headers that the operator adds to requests to a log engine: tokens, tenants. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/** A header in the syntax of RFC 9110; the value without control characters. */
const LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;

/**
 * Reads `Name: value` lines; blank lines and lines that start with `#` are ignored.
 * @throws Error with what is wrong with the file, as in "names a file …"; never repeats a value
 */
export function parseHeaders(text: string): [name: string, value: string][] {
  const headers = text.split('\n').flatMap((raw, at): [string, string][] => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return [];
    const [, name, value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new Error(`names a file whose line ${at + 1} is not "Name: value"`);
    }
    return [[name, value]];
  });
  if (headers.length === 0) throw new Error('names a file without a header');
  return headers;
}

/**
 * Reads the file as it is now. Its group may read it, as with the credentials of systemd.
 * @throws Error as `parseHeaders`; if the file cannot be read, or other users can
 */
export function readHeaders(file: string): [name: string, value: string][] {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch {
    throw new Error('names a file that cannot be read');
  }
  try {
    if ((fstatSync(handle).mode & 0o007) !== 0) {
      throw new Error('names a file that is open to other users; close it with chmod 600');
    }
    return parseHeaders(readFileSync(handle, 'utf8'));
  } finally {
    closeSync(handle);
  }
}
