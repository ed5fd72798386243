/** Makes, lists and reads backups in processes of their own: whatever the disk of BACKUP_DIR does, the hub goes on. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { BeforeOpen } from '../../hub/core.ts';
import { versionAfter } from '../../hub/db/migrate.ts';
import { databaseIn } from '../../hub/db/open.ts';
import { storedVersion } from '../../hub/db/version.ts';
import { messageOf } from '../../shared/async.ts';
import type { Backup } from './folder.ts';
import type { BackupDisk } from './keeper.ts';
import type { BackupSettings } from './make.ts';
import { noteFailure, readState, writeState } from './state.ts';

/** Milliseconds that one may take; a database of 10 MB takes less than a second. */
const DEADLINE_MS = 300_000;
/** The same for their list, which a person waits for. */
const PATIENCE_MS = 20_000;
/** The same before an upgrade, which waits for it: on one machine, nothing is served meanwhile. */
const BEFORE_UPGRADE_MS = 20_000;

/** The command line of this program. */
function program(): string[] {
  if (Bun.main.startsWith('/$bunfs/')) return [process.execPath];
  const source = join(import.meta.dir, '../../main.ts');
  return [process.execPath, '--no-env-file', existsSync(source) ? source : Bun.main];
}

/**
 * Runs this program with these words.
 * @returns what it prints, as that comes
 * @throws Error with what it said, if it fails, or `signal` ends it
 */
async function* runApart(
  words: readonly string[],
  { dir, keep, passphrase }: BackupSettings,
  dataDir: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const child = Bun.spawn([...program(), ...words], {
    // A `.env` in the data folder would not count.
    cwd: '/',
    env: {
      DATA_DIR: dataDir,
      BACKUP_DIR: dir,
      BACKUP_KEEP: String(keep),
      ...(passphrase !== null && { BACKUP_PASSPHRASE: passphrase }),
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const said = new Response(child.stderr).text();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  stopped.catch(() => {});
  const stop = () => reject(new Error(reasonOf(signal)));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const reader = child.stdout.getReader();
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), stopped]);
      if (done) break;
      yield value;
    }
    if ((await Promise.race([child.exited, stopped])) === 0) return;
    const [line = ''] = (await said).trim().split('\n').slice(-1);
    throw new Error(line.replace(/^signalbox [a-z-]+: /, '') || 'its process was ended');
  } finally {
    signal.removeEventListener('abort', stop);
    // It may hang with its disk, and end only when that answers.
    child.kill('SIGKILL');
    child.unref();
  }
}

const reasonOf = ({ reason }: AbortSignal): string =>
  reason instanceof DOMException && reason.name === 'TimeoutError'
    ? 'the disk of BACKUP_DIR does not answer in time'
    : 'the hub is stopping';

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

export function backupDiskOf(settings: BackupSettings, dataDir: string): BackupDisk {
  const run = (words: readonly string[], signal: AbortSignal, deadline = DEADLINE_MS) =>
    runApart(words, settings, dataDir, AbortSignal.any([signal, AbortSignal.timeout(deadline)]));
  return {
    make: async (signal) => void (await textOf(run(['backup'], signal))),
    async list(signal) {
      const text = await textOf(run(['backup-folder'], signal, PATIENCE_MS));
      const found: (Omit<Backup, 'madeAt'> & { madeAt: string })[] = JSON.parse(text);
      return found.map((one) => ({ ...one, madeAt: new Date(one.madeAt) }));
    },
    read: (name, signal) => Readable.from(run(['backup-folder', name], signal)),
  };
}

/**
 * Makes one if another version of the program ran last, or the schema is about to change. A folder in `DATA_DIR` it
 * creates: elsewhere, one that is missing may be a disk that is. Never fails: a disk that is not there must not keep
 * sites from being served, and a migration keeps a copy as well.
 */
export async function backupBeforeUpgrade(
  settings: BackupSettings,
  { dataDir, version, log }: BeforeOpen,
): Promise<void> {
  const { dir } = settings;
  try {
    if (dir.startsWith(`${dataDir}/`)) mkdirSync(dir, { recursive: true, mode: 0o700 });
    if (!existsSync(databaseIn(dataDir))) return;
    const isOlder = storedVersion(databaseIn(dataDir)) < versionAfter();
    if (readState(dataDir, dir).program === version && !isOlder) return;
    try {
      await backupDiskOf(settings, dataDir).make(AbortSignal.timeout(BEFORE_UPGRADE_MS));
    } catch (error) {
      // A process that hangs cannot do so.
      noteFailure(dataDir, dir, messageOf(error), Date.now());
      throw error;
    } finally {
      writeState(dataDir, dir, { program: version });
    }
  } catch (error) {
    log('backup not made', { reason: messageOf(error) }, 'warn');
  }
}
