/** `signalbox backup` and `signalbox restore`, as words; what they do is in files of their own. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { dataDirOf } from '../config.ts';
import type { Command } from './command.ts';

export const backup: Command = {
  name: 'backup',
  args: [{ name: 'FILE' }],
  options: { force: { summary: 'replace a file that is there' } },
  summary: 'copy the database to FILE, also while the hub runs',
  help: `FILE may be - for standard output. The copy is checked before it gets its name; it holds accounts,
tokens, vhosts, preamble and history, readable by its owner alone.
`,
  async run({ args: [file = ''], has }, { env, host, out, err }) {
    // Loaded here, as below: no other small command needs the database.
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
  args: [{ name: 'FILE' }],
  options: {},
  summary: 'make such a copy the database; the old one is kept',
  help: `FILE may be - for standard input. The hub must be stopped. Everybody has to sign in anew.
`,
  async run({ args: [file = ''] }, { env, out, err }) {
    const work = await import('./restore.ts');
    return work.restore(file, {
      folder: dataDirOf(env),
      now: () => new Date(),
      open: (path) => (path === '-' ? process.stdin : createReadStream(path)),
      out,
      err,
    });
  },
};
