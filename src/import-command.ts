/** `signalbox import FILE [--dry-run]`: hands a Caddyfile to the hub that runs on this machine. */
import type { Imported } from './exchange/importer.ts';

export type ImportCommandDeps = {
  /** The running hub's socket. */
  socket: string;
  /** The file's text, `-` for standard input. @throws where it cannot be read */
  read: (file: string) => Promise<string>;
  out: (text: string) => void;
  err: (text: string) => void;
  /** Shows that something takes long, where somebody looks. */
  during: <T>(label: string, work: Promise<T>) => Promise<T>;
};

type Refusal = { code: string; message: string; detail?: string };

/** @returns the exit code: 0 when it was imported, or on a dry run could be */
export async function importCommand(
  file: string,
  dryRun: boolean,
  { socket, read, out, err, during }: ImportCommandDeps,
): Promise<number> {
  let proxyfile: string;
  try {
    proxyfile = await read(file);
  } catch {
    err(`signalbox import: ${file} cannot be read\n`);
    return 1;
  }
  let response: Response;
  try {
    const answer = fetch('http://signalbox/import', {
      method: 'POST',
      unix: socket,
      body: JSON.stringify({ proxyfile, dryRun }),
    });
    response = await during(dryRun ? 'checking' : 'importing', answer);
  } catch {
    err('signalbox import: no hub runs with this DATA_DIR; start it first\n');
    return 1;
  }
  if (!response.ok) {
    const { code, message, detail } = (await response.json()) as Refusal;
    err(`signalbox import: ${message} (${code})\n${detail === undefined ? '' : `  ${detail}\n`}`);
    return 1;
  }
  const { vhosts, skipped, proxyfile: text } = (await response.json()) as Imported;
  for (const { line, reason } of skipped) err(`line ${line} left out: ${reason}\n`);
  err(
    `${vhosts.length} ${vhosts.length === 1 ? 'site' : 'sites'} ${dryRun ? 'would be ' : ''}imported\n`,
  );
  out(dryRun ? text : vhosts.map(({ id, domain }) => `${id}\t${domain}\n`).join(''));
  return 0;
}
