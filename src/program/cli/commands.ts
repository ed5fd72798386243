/** All commands, in the order of `--help`. */
import { agents } from './agents.ts';
import type { Command } from './command.ts';
import { completion } from './completion.ts';
import { backup, promote, restore } from './database.ts';
import { health } from './health.ts';
import { help } from './help.ts';
import { importFile } from './import.ts';
import { install, uninstall } from './install.ts';
import { passwd } from './passwd.ts';
import { ports } from './ports.ts';
import { agent, all, hub } from './serve.ts';
import { site } from './site.ts';

export const COMMANDS: readonly Command[] = [
  all,
  hub,
  agent,
  health,
  site,
  agents,
  importFile,
  ports,
  backup,
  restore,
  promote,
  passwd,
  install,
  uninstall,
  completion,
  help,
];
