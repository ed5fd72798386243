/** Asks the hub that runs on this machine, over its socket, for commands that need no password. */
import { readIfThere } from '../../shared/system/files.ts';
import { dataDirOf, hubSocket, localSecret } from '../config.ts';
import { visible } from '../visible.ts';
import type { Cli } from './command.ts';

type Refusal = { code: string; message: string; detail?: string };

/**
 * @param name of the command, for what it says if it fails
 * @param label what is in progress meanwhile
 * @returns the body, or null once it has said why there is none
 */
export async function askHub<T>(
  { env, err, fail, progress }: Pick<Cli, 'env' | 'err' | 'fail' | 'progress'>,
  request: { name: string; label: string; method: 'GET' | 'POST'; path: string },
): Promise<T | null> {
  const { name, label, method, path } = request;
  const dataDir = dataDirOf(env);
  let response: Response;
  try {
    const secret = readIfThere(localSecret(dataDir))?.trim() ?? '';
    const answer = fetch(`http://signalbox${path}`, {
      method,
      unix: hubSocket(dataDir),
      headers: { Authorization: `Bearer ${secret}` },
    });
    response = await progress.during(label, answer);
  } catch {
    fail(`signalbox ${name}: no hub is running with this DATA_DIR; start it first`);
    return null;
  }
  if (response.ok) return (await response.json()) as T;
  const { code, message, detail } = (await response.json()) as Refusal;
  fail(`signalbox ${name}: ${visible(message)} (${visible(code)})`);
  if (detail !== undefined) err(`  ${visible(detail)}\n`);
  return null;
}
