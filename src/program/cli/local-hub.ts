/** Asks the hub that runs on this machine, by its socket and the secret beside it. */
import { readIfThere } from '../../shared/system/files.ts';
import { dataDirOf, hubSocket, localSecret } from '../config.ts';
import type { Env } from '../settings.ts';
import { visible } from '../visible.ts';
import { type Cli, EXIT } from './command.ts';

export type Refusal = { code: string; message: string; detail?: string; hint?: string };

export type LocalAnswer<T> = { body: T } | { refusal: Refusal };

/** @throws if the hub does not run, or its secret cannot be read */
export async function askLocalHub<T>(
  env: Env,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<LocalAnswer<T>> {
  const secret = readIfThere(localSecret(dataDirOf(env)))?.trim() ?? '';
  const response = await fetch(`http://signalbox${path}`, {
    method,
    unix: hubSocket(dataDirOf(env)),
    headers: { Authorization: `Bearer ${secret}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  return response.ok ? { body: answer as T } : { refusal: answer as Refusal };
}

/** Prints why a command failed if no hub answers. @returns the exit code */
export function failWithoutHub(command: string, { fail }: Pick<Cli, 'fail'>): number {
  fail(`signalbox ${command}: no hub is running with this DATA_DIR; start it first`);
  return EXIT.failed;
}

/** Prints why the hub refused, with its detail and how to fix it. @returns the exit code */
export function failRefused(
  command: string,
  { code, message, detail, hint }: Refusal,
  { fail, err }: Pick<Cli, 'fail' | 'err'>,
): number {
  fail(`signalbox ${command}: ${visible(message)} (${visible(code)})`);
  if (detail !== undefined) err(`  ${visible(detail)}\n`);
  if (hint !== undefined) err(`  ${visible(hint)}\n`);
  return EXIT.failed;
}

/** Says which agents lack a change that was accepted. */
export function warnOfBehind(names: readonly string[], { err }: Pick<Cli, 'err'>): void {
  const who = names.map(visible).join(', ');
  const until =
    names.length === 1
      ? 'Until it returns, its Caddy serves its previous sites.'
      : 'Until they return, their Caddys serve their previous sites.';
  err(`Behind: ${who}. ${until}\n`);
}
