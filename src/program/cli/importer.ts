/** What `signalbox import` can import besides a Caddyfile: the sites of another program. */
import type { Cli, Command, Given } from './command.ts';

export type Importer = {
  /** That of `signalbox import WORD FOLDER`. */
  word: string;
  /** The other program’s name. */
  program: string;
  /** Only it takes these. */
  options: Command['options'];
  /** Of `--help`: full lines about what the folder is, and a paragraph. */
  usage: string;
  help: string;
  /** @throws Refused if it was not imported or, on a dry run, could not be */
  run: (given: Given, cli: Cli) => Promise<void>;
};
