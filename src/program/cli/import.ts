/** `signalbox import FILE [--dry-run]`: imports a Caddyfile into the hub running on this machine. */
import type { Imported } from '../../hub/exchange/importer.ts';
import { readIfThere } from '../../shared/files.ts';
import { dataDirOf, hubSocket, localSecret } from '../config.ts';
import { visible, visibleLines } from '../visible.ts';
import { type Command, EXIT } from './command.ts';

export const importFile: Command = {
  name: 'import',
  args: [{ name: 'FILE' }],
  options: { 'dry-run': { summary: 'print the resulting Caddyfile, and change nothing' } },
  summary: 'import a Caddyfile into the hub on this machine',
  help: `FILE may be - for standard input. Publishes all its sites in one step, all or nothing. Its global
options and snippets replace those the hub has (the preamble). The hub must be running with the same
DATA_DIR. You need no password, but must be root or the user who runs the hub.
`,
  run: ({ args: [file = ''], has }, { env, out, err, fail, progress, host }) =>
    importCommand(file, has('dry-run'), {
      socket: hubSocket(dataDirOf(env)),
      secret: () => readIfThere(localSecret(dataDirOf(env)))?.trim() ?? '',
      read: (name) => (name === '-' ? Bun.stdin.text() : Bun.file(name).text()),
      out,
      err,
      fail,
      during: progress.during,
      toTerminal: host.writesToTerminal,
    }),
};

type ImportCommandDeps = {
  /** The running hub's socket. */
  socket: string;
  /** The secret for it, '' if there is none. @throws if it cannot be read */
  secret: () => string;
  /** The file's text, `-` for standard input. @throws if it cannot be read */
  read: (file: string) => Promise<string>;
  out: (text: string) => void;
  err: (text: string) => void;
  fail: (reason: string) => void;
  /** Shows on a terminal that `work` is in progress. */
  during: <T>(label: string, work: Promise<T>) => Promise<T>;
  /** Whether `out` is a terminal, which a Caddyfile's characters could control. */
  toTerminal: boolean;
};

type Refusal = { code: string; message: string; detail?: string };

/** @returns the exit code: 0 if it was imported or, on a dry run, could be */
async function importCommand(
  file: string,
  dryRun: boolean,
  { socket, secret, read, out, err, fail, during, toTerminal }: ImportCommandDeps,
): Promise<number> {
  let proxyfile: string;
  try {
    proxyfile = await read(file);
  } catch {
    fail(`signalbox import: ${file} cannot be read`);
    return EXIT.failed;
  }
  let response: Response;
  try {
    const answer = fetch('http://signalbox/import', {
      method: 'POST',
      unix: socket,
      headers: { Authorization: `Bearer ${secret()}` },
      body: JSON.stringify({ proxyfile, dryRun }),
    });
    response = await during(dryRun ? 'checking' : 'importing', answer);
  } catch {
    fail('signalbox import: no hub is running with this DATA_DIR; start it first');
    return EXIT.failed;
  }
  if (!response.ok) {
    const { code, message, detail } = (await response.json()) as Refusal;
    fail(`signalbox import: ${visible(message)} (${visible(code)})`);
    if (detail !== undefined) err(`  ${visible(detail)}\n`);
    return EXIT.failed;
  }
  const { vhosts, skipped, proxyfile: text } = (await response.json()) as Imported;
  for (const { line, reason } of skipped) err(`line ${line} skipped: ${visible(reason)}\n`);
  const sites = `${vhosts.length} ${vhosts.length === 1 ? 'site' : 'sites'}`;
  err(`${sites} ${dryRun ? 'would be imported' : 'imported'}\n`);
  if (dryRun) out(toTerminal ? visibleLines(text) : text);
  else out(vhosts.map(({ id, domain }) => `${id}\t${visible(domain)}\n`).join(''));
  return EXIT.done;
}
