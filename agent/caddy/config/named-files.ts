/** Refuses configurations that name a device, a pipe or a socket as a file: reading it may never end. */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eachIn, type Json, type JsonObject } from '../../../src/shared/json.ts';
import { Restricted } from '../words.ts';
import { contentPaths } from './file-contents.ts';

/**
 * Members whose strings are no files: addresses, what is compared with or sent in requests, and what a
 * file server hides, which begins with the path of the Caddyfile: `/dev/stdin` from `adaptApart`.
 */
const NO_FILES = new Set([
  'host',
  'dial',
  'listen',
  'path',
  'uri',
  'body',
  'handler',
  'group',
  'hide',
]);

/** Where a log may go although it is a device. */
const OUTPUTS = new Set(['/dev/null', '/dev/stdout', '/dev/stderr']);

/** How many entries a folder of certificates may have, folders in it included. */
const MAX_ENTRIES = 1_000;

/**
 * Looks at every string of an adapted configuration that could be a path, so that it need not know
 * which options of which version read files.
 * @param env Caddy's variables
 * @throws Restricted
 */
export function assertRegularFiles(
  config: JsonObject,
  env: Readonly<Record<string, string>>,
): void {
  const seen = new Set<string>();
  eachIn(config, (value, name) => {
    if (name === 'load_folders' && Array.isArray(value)) value.forEach(assertRegularFolder);
    if (typeof value !== 'string' || seen.has(value)) return;
    if (!value.includes('/') && !value.includes('{')) return;
    if (NO_FILES.has(name) || (name === 'filename' && OUTPUTS.has(value))) return;
    seen.add(value);
    for (const path of pathsIn(value, env)) assertRegular(path);
  });
}

/** The string itself, and each file whose content Caddy puts into it. */
function pathsIn(value: string, env: Readonly<Record<string, string>>): string[] {
  const text = value.replace(/\{(?:env\.([^{}]*)|system\.(slash|wd))\}/g, (_, name, place) =>
    place === 'slash' ? '/' : place === 'wd' ? process.cwd() : (env[name] ?? ''),
  );
  return [text, ...contentPaths(text)];
}

function assertRegular(path: string): void {
  const stats = statsOf(path);
  if (!stats || stats.isFile() || stats.isDirectory()) return;
  throw new Restricted('It names a device, a pipe or a socket instead of a regular file.');
}

/** Caddy reads every `.pem` file below such a folder. */
function assertRegularFolder(folder: Json): void {
  if (typeof folder !== 'string') return;
  let entries = 0;
  const left = [folder];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const entry of entriesOf(next)) {
      if (++entries > MAX_ENTRIES) {
        throw new Restricted('It names a folder of certificates with too many entries.');
      }
      const path = join(next, entry.name);
      if (entry.isDirectory()) left.push(path);
      else if (entry.name.endsWith('.pem')) assertRegular(path);
    }
  }
}

/** Null if there is no such file, or only the proxy can see it. */
function statsOf(path: string) {
  try {
    return path.includes('\0') ? null : statSync(resolve(path), { throwIfNoEntry: false });
  } catch {
    return null;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
