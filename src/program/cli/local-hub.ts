/** Uses the API of the hub that runs on this machine, by its socket and the secret beside it. */
import { readIfThere } from '../../shared/system/files.ts';
import { dataDirOf, hubSocket, localSecret } from '../data-folder.ts';
import type { Env } from '../settings.ts';
import { visible } from '../visible.ts';
import { type Cli, EXIT } from './command.ts';

export type Refusal = { code: string; message: string; detail?: string; hint?: string };

export type LocalAnswer<T> = { body: T; etag: string } | { refusal: Refusal };

export type LocalRequest = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/api`. */
  path: string;
  body?: object;
  headers?: Record<string, string>;
};

/** @throws if the hub does not run, or its secret cannot be read */
export async function askLocalHub<T>(
  env: Env,
  { method = 'GET', path, body, headers = {} }: LocalRequest,
): Promise<LocalAnswer<T>> {
  const secret = readIfThere(localSecret(dataDirOf(env)))?.trim() ?? '';
  const response = await fetch(`http://signalbox/api${path}`, {
    method,
    unix: hubSocket(dataDirOf(env)),
    headers: { Authorization: `Bearer ${secret}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) return { refusal: answer as Refusal };
  return { body: answer as T, etag: response.headers.get('etag') ?? '' };
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
