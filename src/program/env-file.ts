/**
 * Reads `.env` in the working folder. Bun could do it, but would also read one that a site had Caddy
 * write into the data folder.
 */
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { messageOf } from '../shared/async.ts';
import { isBelow, resolvePath } from '../shared/system/files.ts';
import { dataDirOf } from './data-folder.ts';
import type { Env } from './settings.ts';
import { SettingsError } from './settings-reader.ts';

export type Environment = {
  /** The environment, completed by the file. */
  env: Env;
  /** Why the file was ignored, as a sentence; null if it was not. */
  ignored: string | null;
};

/**
 * @param readFile throws if the file cannot be read
 * @throws SettingsError if there is a file that cannot be read, a line of it is not NAME=value, or it
 * puts the data folder around itself
 */
export function readEnvironment(
  env: Env,
  folder: string,
  readFile: (path: string) => string,
): Environment {
  let text: string;
  try {
    text = readFile(join(folder, '.env'));
  } catch (error) {
    if (isMissing(error)) return { env, ignored: null };
    throw new SettingsError(
      `signalbox cannot start:\n  .env in the working folder cannot be read: ${messageOf(error)}`,
    );
  }
  const isInData = (dataDir: string) => isBelow(resolvePath(folder), resolvePath(dataDir));
  if (isInData(dataDirOf(env))) {
    const ignored =
      'The file .env in the working folder is ignored, because it is inside DATA_DIR. Start signalbox in another folder.';
    return { env, ignored };
  }
  const line = badLine(text);
  if (line !== null) {
    throw new SettingsError(
      `signalbox cannot start:\n  line ${line} of .env in the working folder is not NAME=value`,
    );
  }
  const complete = { ...parseEnv(text), ...env };
  if (isInData(dataDirOf(complete))) {
    throw new SettingsError(
      'signalbox cannot start:\n  DATA_DIR must not contain the .env that sets it: move .env, or set DATA_DIR to a folder such as ./data',
    );
  }
  return { env: complete, ignored: null };
}

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code));

/** As `parseEnv` reads it: a value in quotes may have several lines. */
const ENTRY = /^[ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)?.*$/gm;

/** The first line, from 1, that `parseEnv` would skip without a word; null if there is none. */
function badLine(text: string): number | null {
  const rest = text.replace(ENTRY, (entry) => entry.replace(/[^\n]/g, ''));
  const at = rest.split('\n').findIndex((line) => !/^\s*(#.*)?$/.test(line));
  return at < 0 ? null : at + 1;
}
