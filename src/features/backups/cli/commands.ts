/** Declares `signalbox backup`, `restore` and `promote`; backup.ts and restore.ts do the work. */
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FeatureCommand } from '../../../feature.ts';
import { type Cli, EXIT } from '../../../program/cli/command.ts';
import type { Machine } from '../../../program/config.ts';
import { dataDirOf } from '../../../program/data-folder.ts';
import type { Env } from '../../../program/settings.ts';
import { messageOf } from '../../../shared/async.ts';

const backup: FeatureCommand = {
  name: 'backup',
  follows: 'ports',
  args: [{ name: 'FILE', optional: true }],
  options: { force: { summary: 'replace FILE if it exists' } },
  summary: 'back up the database to FILE, even while the hub runs',
  help: `FILE may be - for standard output. Without FILE, makes a backup in BACKUP_DIR, unless the newest
one there has the same contents. A backup contains accounts, tokens, sites, global options,
snippets, history, and DATA_DIR/secret-key, the key to its secrets and to enrolled agents: sealed
if BACKUP_PASSPHRASE is set, else in clear. The file is readable only by its owner. The backup is
checked before FILE is created.
`,
  async run({ args: [file], has }, { env, host, machine, out, err, fail }) {
    // Loaded here, as below: most commands do not need the database.
    const work = await import('./backup.ts');
    const found = await settingsOf('backup', env, machine, fail);
    if (found === null) return EXIT.failed;
    const folder = dataDirOf(env);
    if (file === undefined && found.settings) {
      return work.backupToFolder(found.settings, folder, { out, err });
    }
    if (file === undefined) {
      fail('signalbox backup: give a FILE, or set BACKUP_DIR');
      return EXIT.usage;
    }
    const how = { force: has('force'), folder, passphrase: found.passphrase };
    return work.backup(file, how, { out, err, host });
  },
};

/**
 * For the hub alone, which waits for no disk of backups: lists those in BACKUP_DIR as JSON, or sends one.
 */
const backupFolder: FeatureCommand = {
  name: 'backup-folder',
  follows: 'ports',
  isHidden: true,
  args: [{ name: 'NAME', optional: true }],
  options: {},
  summary: '',
  help: '',
  async run({ args: [name] }, { env, machine, out, fail }) {
    const { listBackups, readFrom } = await import('../folder.ts');
    const { fileErrorOf } = await import('../../../shared/file-errors.ts');
    const dir = (await settingsOf('backup-folder', env, machine, fail))?.settings?.dir ?? '';
    try {
      if (name === undefined) out(JSON.stringify(await listBackups(dir)));
      else await pipeline(readFrom(dir, name), process.stdout, { end: false });
      return EXIT.done;
    } catch (error) {
      const reason = fileErrorOf(error, () => 'BACKUP_DIR') ?? messageOf(error);
      fail(`signalbox backup-folder: ${reason}`);
      return EXIT.failed;
    }
  },
};

const restore: FeatureCommand = {
  name: 'restore',
  follows: 'ports',
  args: [{ name: 'FILE', optional: true }],
  options: {
    'without-key': { summary: 'proceed if the key in it cannot be opened: secrets are lost' },
  },
  summary: 'replace the database with a backup; the old one is kept',
  help: `FILE may be - for standard input. Without FILE, the command looks for the newest backup in
BACKUP_DIR, in DATA_DIR, in its folder backups, and in the working folder, and on a terminal,
restores it if you agree. Stop the hub first. The old database is kept beside the new one. If
the key in the backup is sealed, set BACKUP_PASSPHRASE. The hub publishes the sites at its next
start, and everyone has to sign in again.
`,
  async run({ args: [given], has }, { env, host, machine, confirm, out, err, fail }) {
    const folder = dataDirOf(env);
    const backups = await settingsOf('restore', env, machine, fail);
    if (backups === null) return EXIT.failed;
    let file = given;
    if (file === undefined) {
      const { describeBackup, newestBackup } = await import('./newest-backup.ts');
      const own = backups.settings ? [backups.settings.dir] : [];
      const folders = [...own, folder, join(folder, 'backups'), resolve('.')];
      const found = newestBackup(folder, folders);
      if (found === null) {
        fail(`signalbox restore: give a FILE; there is no backup in ${folders.join(', ')}`);
        return EXIT.failed;
      }
      file = found.file;
      err(`The newest backup: ${describeBackup(found)}\n`);
      if (!host.hasTerminal || !confirm('Restore it?')) {
        fail('signalbox restore: nothing was changed; run it again with this FILE');
        return EXIT.failed;
      }
    }
    const work = await import('./restore.ts');
    const { passphrase } = backups;
    const restoration = { folder, passphrase, withoutKey: has('without-key') };
    return work.restore(file, restoration, { out, err });
  },
};

const promote: FeatureCommand = {
  name: 'promote',
  isSeldom: true,
  follows: 'ports',
  args: [{ name: 'FILE', optional: true }],
  options: {
    above: { summary: 'also outrank a hub with this term, shown in /status', takes: 'TERM' },
    'without-key': { summary: 'proceed without secret-key: secrets and enrolled agents are lost' },
  },
  summary: 'make a database copy the active hub',
  help: `Use this if the hub's machine is lost: run it on another machine, while no hub runs there. FILE is
a backup, or a copy of the database with its -wal beside it; - is standard input. Without FILE, the
database in DATA_DIR itself is promoted. Unless FILE is a backup, which contains it, put a copy of
the first hub's DATA_DIR/secret-key into DATA_DIR first.

Does what "signalbox restore" does. In addition, agents obey this hub once it has published to them,
and refuse the old hub with OTHER_HUB. The old hub reports this; switch it off.
`,
  async run({ args: [file], has, value }, { env, machine, out, err, fail }) {
    const above = value('above');
    const { MAX_TERM } = await import('../../../shared/wire/protocol.ts');
    if (above !== undefined && !(/^[1-9]\d*$/.test(above) && Number(above) < MAX_TERM)) {
      fail(`signalbox promote: --above takes a number from 1 to ${MAX_TERM - 1}`);
      return EXIT.usage;
    }
    const folder = dataDirOf(env);
    const backups = await settingsOf('promote', env, machine, fail);
    if (backups === null) return EXIT.failed;
    const { databaseIn } = await import('../../../hub/db/open.ts');
    const work = await import('./restore.ts');
    const restoration = {
      folder,
      passphrase: backups.passphrase,
      withoutKey: has('without-key'),
      promote: { above: Number(above ?? 0) },
    };
    return work.restore(file ?? databaseIn(folder), restoration, { out, err });
  },
};

export const commands: readonly FeatureCommand[] = [backup, backupFolder, restore, promote];

/** Null if they are wrong, which was said. */
async function settingsOf(command: string, env: Env, machine: Machine, fail: Cli['fail']) {
  const { backupsFor } = await import('../settings.ts');
  try {
    return backupsFor(env, machine.readFile);
  } catch (error) {
    fail(`signalbox ${command}: ${messageOf(error)}`);
    return null;
  }
}
