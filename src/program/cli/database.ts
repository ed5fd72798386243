/** Declares `signalbox backup` and `signalbox restore`; backup.ts and restore.ts do the work. */
import { createReadStream } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { dataDirOf } from '../config.ts';
import { type Command, EXIT } from './command.ts';

export const backup: Command = {
  name: 'backup',
  args: [{ name: 'FILE' }],
  options: { force: { summary: 'replace FILE if it exists' } },
  summary: 'back up the database to FILE, even while the hub runs',
  help: `FILE may be - for standard output. The backup holds accounts, tokens, sites, global options and
snippets, and history. Only its owner can read it. It is checked before FILE is created.
`,
  async run({ args: [file = ''], has }, { env, host, out, err }) {
    // Loaded here, as below: most commands do not need the database.
    const work = await import('./backup.ts');
    return work.backup(file, has('force'), {
      folder: dataDirOf(env),
      out,
      err,
      send: (path) => pipeline(createReadStream(path), process.stdout, { end: false }),
      toTerminal: host.writesToTerminal,
    });
  },
};

export const restore: Command = {
  name: 'restore',
  args: [{ name: 'FILE', optional: true }],
  options: {},
  summary: 'replace the database with a backup; the old one is kept',
  help: `FILE may be - for standard input. Without it, the newest backup in DATA_DIR, in its folder
backups, and in the working folder is named and, on a terminal, restored if you agree. Stop the hub
first. The old database is kept beside the new one. The sites are published at the next start, and
everyone has to sign in again.
`,
  async run({ args: [given] }, { env, host, confirm, out, err, fail }) {
    const folder = dataDirOf(env);
    let file = given;
    if (file === undefined) {
      const { describeBackup, newestBackup } = await import('./newest-backup.ts');
      const folders = [folder, join(folder, 'backups'), resolve('.')];
      const found = newestBackup(folder, folders);
      if (found === null) {
        fail(`signalbox restore: name a FILE; there is no backup in ${folders.join(', ')}`);
        return EXIT.failed;
      }
      file = found.file;
      err(`The newest backup: ${describeBackup(found)}\n`);
      if (!host.hasTerminal || !confirm('Restore it?')) {
        fail('signalbox restore: nothing was done; name this FILE to restore it');
        return EXIT.failed;
      }
    }
    const work = await import('./restore.ts');
    return work.restore(file, {
      folder,
      now: () => new Date(),
      open: (path) => (path === '-' ? process.stdin : createReadStream(path)),
      out,
      err,
    });
  },
};
