/** The settings of backups, which the hub and the commands read alike. */
import type { ReadHubHalf } from '../../feature.ts';
import { dataDirOf } from '../../program/data-folder.ts';
import type { Env } from '../../program/settings.ts';
import { createReader, type SettingsReader } from '../../program/settings-reader.ts';
import type { BackupSettings } from './make.ts';

export const readHubHalf: ReadHubHalf = (read) => {
  const settings = readBackups(read);
  return {
    async beforeOpen(given) {
      if (settings === null) return;
      const { backupBeforeUpgrade } = await import('./process.ts');
      await backupBeforeUpgrade(settings, given);
    },
    async load() {
      const { hub } = await import('./hub.ts');
      return (core) => hub(core, settings);
    },
  };
};

/** Null without `BACKUP_DIR`. The folder is not looked at: its disk may hang. */
function readBackups(
  read: SettingsReader,
  passphrase = readPassphrase(read),
): BackupSettings | null {
  const keep = read.count('BACKUP_KEEP');
  if (!read.has('BACKUP_DIR')) return null;
  if (!read.text('BACKUP_DIR').startsWith('/'))
    read.fault('BACKUP_DIR', 'must be an absolute path');
  return { dir: read.path('BACKUP_DIR'), keep, passphrase };
}

function readPassphrase(read: SettingsReader): string | null {
  const passphrase = read.secret('BACKUP_PASSPHRASE');
  if (passphrase === '') read.fault('BACKUP_PASSPHRASE_FILE', 'names an empty file');
  return passphrase;
}

/** For a command, which needs no other settings. @throws SettingsError */
export function backupsFor(env: Env, readFile: (path: string) => string) {
  const read = createReader(env, 'hub', dataDirOf(env), readFile);
  const passphrase = readPassphrase(read);
  const settings = readBackups(read, passphrase);
  read.finish();
  return { settings, passphrase };
}
