/**
 * Reads `.env` in the working folder. Bun could do it, but would also read one that a site had Caddy
 * write into the data folder.
 */
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { isBelow, resolvePath } from '../shared/paths.ts';
import { dataDirOf } from './config.ts';
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
 * @throws SettingsError if the file itself puts the data folder around it
 */
export function readEnvironment(
  env: Env,
  folder: string,
  readFile: (path: string) => string,
): Environment {
  let text: string;
  try {
    text = readFile(join(folder, '.env'));
  } catch {
    return { env, ignored: null };
  }
  const isInData = (dataDir: string) => isBelow(resolvePath(folder), resolvePath(dataDir));
  if (isInData(dataDirOf(env))) {
    const ignored =
      'The file .env in the working folder is ignored, because it is inside DATA_DIR. Start signalbox in another folder.';
    return { env, ignored };
  }
  const complete = { ...parseEnv(text), ...env };
  if (isInData(dataDirOf(complete))) {
    throw new SettingsError(
      'signalbox cannot start:\n  DATA_DIR must not contain the .env that sets it: move .env, or set DATA_DIR to a folder such as ./data',
    );
  }
  return { env: complete, ignored: null };
}
