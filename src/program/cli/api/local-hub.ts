/** Uses the API of the hub that runs on this machine, by its socket and the secret beside it. */
import { fileErrorOf } from '../../../shared/file-errors.ts';
import { readIfThere } from '../../../shared/system/files.ts';
import { visible } from '../../../shared/visible.ts';
import { dataDirOf, hubSocket, localSecret } from '../../data-folder.ts';
import type { Env } from '../../settings.ts';
import { type Cli, EXIT } from '../command.ts';

export type Refusal = {
  message: string;
  /** The hub's; a command that fails by itself has none. */
  code?: string;
  detail?: string;
  hint?: string;
  /** What is at fault, and the line in its text. */
  field?: string;
  line?: number;
  /** What a new program of Caddy does otherwise. */
  /** Whether there was no answer, so that nobody knows what became of the request. */
  isLost?: boolean;
  /** The policy that made the text. */
  policy?: { name: string; field?: string };
};

/** Why a command fails: the hub refuses, or does not answer, or what the command was given is wrong. */
export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

/** A body, and its entity tag, which is empty if it has none. */
export type LocalAnswer<T> = { body: T; etag: string };

export type LocalRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api`. */
  path: string;
  /** Sent as JSON; to the hub on this machine, a `FormData` as what it is. */
  body?: object;
  headers?: Record<string, string>;
  /** Whether the answer may be other than JSON or YAML. */
  isAnyType?: boolean;
  /** Ends it. */
  signal?: AbortSignal;
};

/** What a hub answers. @throws Refused */
export type AskHub = (request: LocalRequest) => Promise<Response>;

/** @throws Refused */
export async function askLocalHub<T>(env: Env, request: LocalRequest): Promise<LocalAnswer<T>> {
  const response = await openLocalHub(env, request);
  return { body: await bodyOf<T>(response), etag: response.headers.get('etag') ?? '' };
}

/** Asks for what is read as it arrives. @throws Refused */
export async function openLocalHub(
  env: Env,
  { method = 'GET', path, body, headers = {}, signal }: LocalRequest,
): Promise<Response> {
  const secret = secretIn(dataDirOf(env));
  let response: Response;
  try {
    response = await fetch(`http://signalbox/api${path}`, {
      method,
      unix: hubSocket(dataDirOf(env)),
      headers: { Authorization: `Bearer ${secret}`, ...headers },
      ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch {
    throw withoutHub();
  }
  if (!response.ok) throw new Refused(await bodyOf<Refusal>(response));
  return response;
}

/** Empty if no hub was ever started there. @throws Refused if it is for another user */
function secretIn(dataDir: string): string {
  try {
    return readIfThere(localSecret(dataDir))?.trim() ?? '';
  } catch (error) {
    const why = fileErrorOf({ code: (error as { code?: unknown }).code });
    if (why === null) throw withoutHub();
    const message = `${dataDir} cannot be used: ${why}`;
    throw new Refused({ message, hint: 'Be root or the user who runs the hub.' });
  }
}

/** @throws Refused if the hub went away meanwhile */
const bodyOf = <T>(response: Response): Promise<T> =>
  response.json().catch(() => {
    throw withoutHub();
  }) as Promise<T>;

const withoutHub = () =>
  new Refused({ message: 'no hub is running with this DATA_DIR; start it first', isLost: true });

/** What a hub began to answer did not arrive. */
export const ENDED = new Refused({ message: 'the connection to the hub ended', isLost: true });

/** @throws Refused if it did not arrive whole */
export const answerOf = <T>(response: Response): Promise<T> =>
  response.json().catch(() => Promise.reject(ENDED)) as Promise<T>;

/** What the requests of a command have in common: none of them is made if its words do not fit together. */
type Work = {
  /** The name of the command. */
  command: string;
  /** What is wrong with its words; null if nothing is. */
  wrong: string | null;
  /** @throws Refused */
  run: () => Promise<void>;
};

/** Runs a command that uses the hub, and prints why it fails. @returns the exit code */
export async function usingHub(
  { command, wrong, run }: Work,
  cli: Pick<Cli, 'fail' | 'err'>,
): Promise<number> {
  if (wrong !== null) {
    cli.fail(`signalbox ${command}: ${wrong}`);
    return EXIT.usage;
  }
  try {
    await run();
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return failRefused(command, error.refusal, cli);
  }
}

/** Prints why a command was refused, with its detail and how to fix it. @returns the exit code */
export function failRefused(
  command: string,
  { code, message, detail, hint }: Refusal,
  { fail, err }: Pick<Cli, 'fail' | 'err'>,
): number {
  fail(
    `signalbox ${command}: ${visible(message)}${code === undefined ? '' : ` (${visible(code)})`}`,
  );
  for (const line of [detail, hint]) if (line !== undefined) err(`  ${visible(line)}\n`);
  return EXIT.failed;
}

/** Says which agents lack a change that was accepted. */
export function warnOfBehind(names: readonly string[], { err }: Pick<Cli, 'err'>): void {
  const who = names.map(visible).join(', ');
  const until =
    names.length === 1
      ? 'Until it is back or resumed, its Caddy serves its previous sites.'
      : 'Until they are back or resumed, their Caddys serve their previous sites.';
  err(`Behind: ${who}. ${until}\n`);
}

/** What the answer to a change says besides. */
export type Warned = {
  behind?: string[];
  warnings?: { message: string; cure?: { words: string } }[];
};

/** Says it, on standard error. */
export function warnOf({ behind, warnings = [] }: Warned, cli: Pick<Cli, 'err'>): void {
  if (behind) warnOfBehind(behind, cli);
  for (const { message, cure } of warnings) {
    const said = cure ? `${message.replace(/\.$/, '')}. ${cure.words}` : message;
    cli.err(`${visible(said)}\n`);
  }
}

/** A line of JSON that a terminal can show: what would control it is escaped, as JSON may have it. */
export const jsonLine = (value: unknown): string => `${visible(JSON.stringify(value))}\n`;

/** The text of a file, or of standard input for `-`. @throws Refused if it cannot be read */
export const readGiven = async (file: string): Promise<string> =>
  new TextDecoder().decode(await readGivenBytes(file));

/** @throws as `readGiven` */
export async function readGivenBytes(file: string): Promise<Uint8Array> {
  try {
    return await (file === '-' ? Bun.stdin : Bun.file(file)).bytes();
  } catch (error) {
    const why = fileErrorOf({ code: (error as { code?: unknown }).code });
    throw new Refused({ message: `${file} cannot be read${why === null ? '' : `: ${why}`}` });
  }
}
