/** Declares `signalbox backup`, `restore` and `promote`; backup.ts and restore.ts do the work. */
import { createReadStream } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { dataDirOf } from '../data-folder.ts';
import { type Command, EXIT } from './command.ts';

export const backup: Command = {
  name: 'backup',
  args: [{ name: 'FILE' }],
  options: { force: { summary: 'replace FILE if it exists' } },
  summary: 'back up the database to FILE, even while the hub runs',
  help: `FILE may be - for standard output. The backup contains accounts, tokens, sites, global options,
snippets and history, but not DATA_DIR/secret-key, the key to its secrets and to enrolled agents.
The file is readable only by its owner. The backup is checked before FILE is created.
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
  help: `FILE may be - for standard input. Without FILE, the command looks for the newest backup in
DATA_DIR, in its folder backups, and in the working folder, and on a terminal, restores it if you
agree. Stop the hub first. The old database is kept beside the new one. The hub publishes the sites
at its next start, and everyone has to sign in again.
`,
  async run({ args: [given] }, { env, host, confirm, out, err, fail }) {
    const folder = dataDirOf(env);
    let file = given;
    if (file === undefined) {
      const { describeBackup, newestBackup } = await import('./newest-backup.ts');
      const folders = [folder, join(folder, 'backups'), resolve('.')];
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
    return work.restore(file, {
      folder,
      now: () => new Date(),
      open: openFile,
      out,
      err,
    });
  },
};

export const promote: Command = {
  name: 'promote',
  args: [{ name: 'FILE', optional: true }],
  options: {
    above: { summary: 'also outrank a hub with this term, shown in /status', takes: 'TERM' },
    'without-key': { summary: 'proceed without secret-key: secrets and enrolled agents are lost' },
  },
  summary: 'make a database copy the active hub',
  help: `Use this if the hub's machine is lost: run it on another machine, while no hub runs there. FILE is
a backup, or a copy of the database with its -wal beside it; - is standard input. Without FILE, the
database in DATA_DIR itself is promoted. Put a copy of the first hub's DATA_DIR/secret-key into
DATA_DIR first.

Does what "signalbox restore" does. In addition, agents obey this hub once it has published to them,
and refuse the old hub with OTHER_HUB. The old hub reports this; switch it off.
`,
  async run({ args: [file], has, value }, { env, out, err, fail }) {
    const above = value('above');
    const { MAX_TERM } = await import('../../shared/wire/protocol.ts');
    if (above !== undefined && !(/^[1-9]\d*$/.test(above) && Number(above) < MAX_TERM)) {
      fail(`signalbox promote: --above takes a number from 1 to ${MAX_TERM - 1}`);
      return EXIT.usage;
    }
    const folder = dataDirOf(env);
    const { databaseIn } = await import('../../hub/db/open.ts');
    const work = await import('./restore.ts');
    return work.restore(file ?? databaseIn(folder), {
      ...{ folder, now: () => new Date(), open: openFile, out, err },
      promote: { above: Number(above ?? 0), withoutKey: has('without-key') },
    });
  },
};

const openFile = (path: string) => (path === '-' ? process.stdin : createReadStream(path));
