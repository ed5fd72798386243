/** `signalbox api`: any request of the API, as its document describes it. */
import { visible, visibleLines } from '../../../shared/visible.ts';
import { type Cli, type Command, EXIT, type Given } from '../command.ts';
import { askLocalHub, ENDED, Refused, readGiven, usingHub } from './local-hub.ts';
import { chosenHub, HUB_OPTION } from './remote-hub.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

export const api: Command = {
  name: 'api',
  args: [
    { name: 'METHOD', words: METHODS },
    { name: 'PATH', listedBy: 'api-paths' },
  ],
  options: {
    file: { short: 'f', takes: 'FILE', summary: 'send this JSON; - is standard input' },
    query: {
      short: 'q',
      takes: 'NAME=VALUE',
      repeats: true,
      summary: 'add this to the address; may be given several times',
    },
    hub: HUB_OPTION,
  },
  summary: 'send a request of the API',
  help: `For everything that has no command of its own. METHOD and PATH are those of docs/api.md and of the
hub's /api/openapi.json, with or without /api in front: "signalbox api GET /vhosts".

Prints what the hub answers, JSON in several lines if standard output is a terminal. If the hub
refuses, prints nothing but the reason on standard error.

Without --hub, the hub must be running with the same DATA_DIR. You need no password, but must be
root or the user who runs the hub. With --hub, SIGNALBOX_TOKEN (or a file, SIGNALBOX_TOKEN_FILE)
holds an API token of the hub.
`,
  run: (given, cli) =>
    usingHub({ command: 'api', wrong: whyWrong(given), run: () => send(given, cli) }, cli),
};

/** For the completion of PATH. Prints nothing if there is no hub, or it does not describe its API. */
export const apiPaths: Command = {
  name: 'api-paths',
  args: [{ name: 'METHOD', words: METHODS, optional: true }],
  options: {},
  isHidden: true,
  summary: 'print the paths of the API',
  help: 'Prints those that take METHOD, a line each.\n',
  async run({ args: [method] }, { env, out }) {
    try {
      const { body } = await askLocalHub<Document>(env, { path: '/openapi.json' });
      const paths = Object.entries(body.paths).filter(
        ([path, operations]) =>
          path.startsWith('/api/') &&
          (method === undefined || Object.hasOwn(operations, method.toLowerCase())),
      );
      out(paths.map(([path]) => `${visible(path.slice('/api'.length))}\n`).join(''));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    return EXIT.done;
  },
};

/** What of the OpenAPI document says which paths there are. */
type Document = { paths: Record<string, object> };

/** Null if the words fit together. */
function whyWrong({ args: [method, path = ''], has, values }: Given): string | null {
  if (!path.startsWith('/')) return `PATH starts with a slash, as in /vhosts, unlike ${path}`;
  if (/[?#]/.test(path)) return 'PATH has no ? and no #; use --query NAME=VALUE';
  const query = values('query').find((one) => !/^[^=]+=/.test(one));
  if (query !== undefined) return `--query takes NAME=VALUE, not ${query}`;
  if (method === 'GET' && has('file')) return 'GET sends no --file';
  return null;
}

/** @throws Refused */
async function send(given: Given, cli: Cli): Promise<void> {
  const hub = await chosenHub(given, cli);
  const [method, path = ''] = given.args as [Method, string];
  const stop = new AbortController();
  void cli.readerGone().then(() => stop.abort());
  const asked = hub({
    method,
    path: addressOf(path, given.values('query')),
    ...(given.has('file') && { body: await bodyIn(given.value('file') ?? '-') }),
    isAnyType: true,
    signal: stop.signal,
  });
  await print(await asked, stop.signal, cli);
}

/** Below `/api`. */
function addressOf(path: string, query: readonly string[]): string {
  const below = path.replace(/^\/api(?=\/)/, '');
  if (query.length === 0) return below;
  const pairs = new URLSearchParams();
  for (const one of query) {
    const at = one.indexOf('=');
    pairs.append(one.slice(0, at), one.slice(at + 1));
  }
  return `${below}?${pairs}`;
}

/** @throws Refused if the file cannot be read, or is no JSON that a request may have */
async function bodyIn(file: string): Promise<object> {
  const text = await readGiven(file);
  const what = file === '-' ? 'standard input' : file;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    // The message names no more than a word of the file.
    throw new Refused({ message: `${what} is not JSON: ${(error as Error).message}` });
  }
  if (typeof body === 'object' && body !== null) return body;
  throw new Refused({ message: `${what} is neither an object nor an array` });
}

/** As it arrives, as an answer may go on until it is stopped. @throws Refused if it does not arrive whole */
async function print(answer: Response, signal: AbortSignal, cli: Cli): Promise<void> {
  const isJson = /^application\/json\b/.test(answer.headers.get('content-type') ?? '');
  const { out, host } = cli;
  // A terminal is not to be controlled by what somebody put into a site.
  const shown = (text: string) => (host.writesToTerminal ? visibleLines(text) : text);
  try {
    if (isJson) {
      const text = await answer.text();
      const spaced = host.writesToTerminal ? JSON.stringify(JSON.parse(text), null, 2) : text;
      out(shown(`${spaced}\n`));
      return;
    }
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? [])
      out(shown(decoder.decode(chunk, { stream: true })));
  } catch {
    if (!signal.aborted) throw ENDED;
  }
}
