/** What a command is: declared once, for parsing the command line, for its help and for shell completion. */
import { parseArgs } from 'node:util';
import type { Machine } from '../config.ts';
import type { Paint } from '../paint.ts';
import type { Env, Role } from '../settings.ts';
import type { Progress } from './progress.ts';

export type Argument = {
  /** A placeholder such as `FILE`. If there are `words`, the argument must be one of them. */
  name: string;
  words?: readonly string[];
  optional?: true;
};

export type Option = {
  summary: string;
  /** The placeholder of its value, `DIR`; an option without one is a switch. */
  takes?: string;
  /** A letter that stands for it, after a single dash. */
  short?: string;
};

/** The arguments and options that were given, parsed as the command declares them. */
export type Given = {
  args: readonly string[];
  has: (option: string) => boolean;
  /** Undefined if the option was not given. */
  value: (option: string) => string | undefined;
};

/** Where the program runs, and as what. */
export type Host = {
  isRoot: boolean;
  /** Whether standard output is a terminal. */
  writesToTerminal: boolean;
  /** Whether standard input is a terminal. */
  hasTerminal: boolean;
  runsSystemd: boolean;
  /** The binary's path; null when run from source. */
  program: string | null;
  /** The addresses of this machine in its network, private ones first. */
  addresses: () => Promise<readonly string[]>;
};

/** Everything a command reaches outside itself; only main.ts makes one from the process. */
export type Cli = {
  commands: readonly Command[];
  env: Env;
  machine: Machine;
  out: (text: string) => void;
  err: (text: string) => void;
  /** Prints on standard error, in a line, why the command failed. */
  fail: (reason: string) => void;
  /** For text that goes to `out`. */
  paint: Paint;
  progress: Progress;
  host: Host;
  /** Asks a yes-or-no question on the terminal. */
  confirm: (question: string) => boolean;
  /** Asks for a text on the terminal; `usual` if there is no answer. */
  ask: (question: string, usual: string) => string;
  /** From now on, such signals end nothing. Resolves with the name of the first one that asks the program to stop. */
  stopSignal: () => Promise<string>;
  /** Resolves if nobody reads standard output any more, which is noticed when something is written. */
  readerGone: () => Promise<void>;
};

/** The exit codes of the whole program. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

export type Command = {
  /** Empty for what runs without any argument. */
  name: string;
  args: readonly Argument[];
  /** By name, without the dashes. */
  options: Readonly<Record<string, Option>>;
  /** One line. */
  summary: string;
  /** Full lines, for `signalbox NAME --help`. */
  help: string;
  /** If its exit codes are other ones than those of the rest: that of wrong usage, and a line about all. */
  exits?: { misused: number; help: string };
  /** The role it runs the program in, until a signal stops it; anything still open is then dropped. */
  role?: Role;
  /** @returns the exit code */
  run: (given: Given, cli: Cli) => Promise<number>;
};

type Parsed =
  | { ask: 'run'; command: Command; given: Given }
  | { ask: 'help'; command: Command | null }
  | { ask: 'version' }
  /** The arguments are wrong; `command` is null if there is no such command, `word` as it is called. */
  | { ask: 'unknown'; command: Command | null; word: string };

/** With `--help` anywhere, nothing but help is asked for. */
export function parseWords(words: readonly string[], commands: readonly Command[]): Parsed {
  const [word = '', ...rest] = words;
  const byName = (name: string | undefined) =>
    commands.find((command) => command.name === name) ?? null;
  if (words.includes('--help') || words.includes('-h')) {
    const named = words.find((other) => !other.startsWith('-'));
    const command = named === undefined ? null : byName(named);
    if (named !== undefined && !command) return { ask: 'unknown', command, word: named };
    return { ask: 'help', command };
  }
  if (word === '--version' || word === '-v') return { ask: 'version' };
  // Without any word, the command named '' runs; an empty word is not that command.
  const command = words.length > 0 && word === '' ? null : byName(word);
  const given = command && parseGiven(rest, command);
  return command && given ? { ask: 'run', command, given } : { ask: 'unknown', command, word };
}

function parseGiven(words: string[], { args, options }: Command): Given | null {
  try {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, { takes, short }]) => [
          name,
          {
            type: takes === undefined ? ('boolean' as const) : ('string' as const),
            ...(short !== undefined && { short }),
          },
        ]),
      ),
    });
    const needed = args.filter(({ optional }) => !optional).length;
    if (positionals.length < needed || positionals.length > args.length) return null;
    const fits = positionals.every((word, at) => args[at]?.words?.includes(word) ?? true);
    if (!fits) return null;
    return {
      args: positionals,
      has: (option) => values[option] !== undefined,
      value: (option) => {
        const value = values[option];
        return typeof value === 'string' ? value : undefined;
      },
    };
  } catch {
    // An unknown option, or one without its value.
    return null;
  }
}
