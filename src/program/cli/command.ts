/** What a command is: declared once, for running it, for its help and for shell completion. */
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
  /** Resolves with the name of the first signal that asks the program to stop. */
  stopSignal: () => Promise<string>;
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
  /** The role it runs the program in, until a signal stops it; anything still open is then dropped. */
  role?: Role;
  /** @returns the exit code */
  run: (given: Given, cli: Cli) => Promise<number>;
};
