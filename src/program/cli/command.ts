/** What a command is: declared once, for parsing the command line, for its help and for shell completion. */
import { parseArgs } from 'node:util';
import { nearest } from '../../shared/nearest.ts';
import type { Role } from '../../shared/setting.ts';
import type { Machine } from '../config.ts';
import type { Paint } from '../paint.ts';
import type { Env } from '../settings.ts';
import type { Progress } from './progress.ts';

type Argument = {
  /** A placeholder such as `FILE`. If there are `words`, the argument must be one of them. */
  name: string;
  words?: readonly string[];
  optional?: true;
  /** It follows only these words, which may stand in the place of the argument before it. */
  after?: readonly string[];
  /** For shell completion: a command that prints what it may be, a line each; it gets the arguments before this one. */
  listedBy?: string;
};

export type Option = {
  summary: string;
  /** The placeholder of its value, `DIR`; an option without one is a switch. */
  takes?: string;
  /** A letter that stands for it, after a single dash. */
  short?: string;
  /** Whether the command does nothing without it. */
  needed?: true;
  /** Whether it may be given several times. */
  repeats?: true;
};

/** The arguments and options that were given, parsed as the command declares them. */
export type Given = {
  args: readonly string[];
  has: (option: string) => boolean;
  /** Undefined if the option was not given. */
  value: (option: string) => string | undefined;
  /** Of an option that may be given several times, in their order. */
  values: (option: string) => readonly string[];
};

/** Where the program runs, and as what. */
type Host = {
  isRoot: boolean;
  /** Whether standard output is a terminal. */
  writesToTerminal: boolean;
  /** Whether standard input is a terminal. */
  hasTerminal: boolean;
  runsSystemd: boolean;
  isContainer: boolean;
  /** The binary's path; null when run from source. */
  program: string | null;
  /** The addresses of this machine in its network, private ones first. */
  addresses: () => Promise<readonly string[]>;
};

/** Everything a command reaches outside itself; only main.ts makes one from the process. */
export type Cli = {
  /** Without hidden ones; for a command that serves, only those that do. */
  commands: readonly Command[];
  /** Completed by `.env`. */
  env: Env;
  /** As the process got it. */
  ownEnv: Env;
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
  /** From now on, the signal that asks for a restart in place ends nothing, and calls this. */
  onRestartSignal: (run: () => void) => void;
  /** The program starts again in this process; returns only by throwing an Error. */
  replaceProgram: (env: Env, words: readonly string[]) => never;
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
  /** Few people use it: `signalbox help commands` names it, and `--help` does not. */
  isSeldom?: true;
  /** For the program itself: no help and no completion names it. */
  isHidden?: true;
  /** @returns the exit code */
  run: (given: Given, cli: Cli) => Promise<number>;
};

type Parsed =
  | { ask: 'run'; command: Command; given: Given }
  | { ask: 'help'; command: Command | null }
  | { ask: 'version' }
  /** There is no such command. */
  | { ask: 'unknown'; word: string }
  /** What is wrong with its words. */
  | { ask: 'misused'; command: Command; wrong: string };

/** With `--help` anywhere, nothing but help is asked for. */
export function parseWords(words: readonly string[], commands: readonly Command[]): Parsed {
  const [word = '', ...rest] = words;
  const byName = (name: string | undefined) =>
    commands.find((command) => command.name === name) ?? null;
  if (words.includes('--help') || words.includes('-h')) {
    const named = words.find((other) => !other.startsWith('-'));
    const command = named === undefined ? null : byName(named);
    if (named !== undefined && !command) return { ask: 'unknown', word: named };
    return { ask: 'help', command };
  }
  if (word === '--version' || word === '-v') return { ask: 'version' };
  // Without any word, the command named '' runs; an empty word is not that command.
  const command = words.length > 0 && word === '' ? null : byName(word);
  if (!command) return { ask: 'unknown', word };
  const given = parseGiven(rest, command);
  return typeof given === 'string'
    ? { ask: 'misused', command, wrong: given }
    : { ask: 'run', command, given };
}

/** What is wrong, as a text, if the words do not fit. */
function parseGiven(words: string[], { args, options }: Command): Given | string {
  const { values, positionals, tokens } = parseArgs({
    args: words,
    allowPositionals: true,
    // `wrongOption` says what is wrong, in plain words.
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(options).map(([name, { takes, short, repeats = false }]) => [
        name,
        {
          type: takes === undefined ? ('boolean' as const) : ('string' as const),
          multiple: repeats,
          ...(short !== undefined && { short }),
        },
      ]),
    ),
  });
  const given = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const wrong = wrongOption(token, options, given);
    if (wrong !== null) return wrong;
    given.add(token.name);
  }
  const wrong = wrongArgument(positionals, args);
  if (wrong !== null) return wrong;
  const missing = Object.entries(options).find(([name, { needed }]) => needed && !given.has(name));
  if (missing) return `${named(...missing)} is missing`;
  const valuesOf = (option: string) =>
    [given.has(option) ? values[option] : []].flat().filter((one) => typeof one === 'string');
  return {
    args: positionals,
    has: (option) => given.has(option),
    value: (option) => valuesOf(option)[0],
    values: valuesOf,
  };
}

/** `-f FILE`, as short as it may be typed. */
export const named = (name: string, { short, takes }: Option): string =>
  [short === undefined ? `--${name}` : `-${short}`, takes ?? []].flat().join(' ');

type OptionToken = Record<'name' | 'rawName', string> &
  Record<'value', string | undefined> &
  Record<'inlineValue', boolean | undefined>;

/** Null if it fits. @param given the options before it */
function wrongOption(
  { name, rawName, value, inlineValue }: OptionToken,
  options: Command['options'],
  given: ReadonlySet<string>,
): string | null {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) {
    const guess = nearest(name, Object.keys(options));
    return `unknown option ${rawName}${guess === undefined ? '' : `; did you mean --${guess}?`}`;
  }
  if (option.takes === undefined) return value === undefined ? null : `${rawName} takes no value`;
  // What looks like an option is a value only after `=`.
  if (value === undefined || (!inlineValue && /^-./.test(value))) {
    return `${rawName} needs ${option.takes}`;
  }
  return given.has(name) && !option.repeats ? `--${name} is given twice` : null;
}

/** Null if they fit. */
function wrongArgument(given: readonly string[], args: Command['args']): string | null {
  for (const [at, word] of given.entries()) {
    const arg = args[at];
    if (!arg || (arg.after && !arg.after.includes(given[at - 1] ?? ''))) {
      return `${word} is one argument too many`;
    }
    if (arg.words?.includes(word) ?? true) continue;
    const guess = nearest(word, arg.words ?? []);
    const question = guess === undefined ? '' : `; did you mean ${guess}?`;
    return `${word} is none of ${arg.words?.join(', ')}${question}`;
  }
  const missing = args[given.length];
  const isNeeded =
    !missing?.optional && (!missing?.after || missing.after.includes(given.at(-1) ?? ''));
  return missing && isNeeded ? `${missing.name} is missing` : null;
}
