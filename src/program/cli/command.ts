/** What a command of the program is: told once, for running it, for its help and for completion. */
import type { Machine } from '../config.ts';
import type { Paint } from '../paint.ts';
import type { Env } from '../settings-reader.ts';
import type { Progress } from './progress.ts';

/** A word behind the command's name. */
export type Argument = {
  /** `FILE`: stands for anything; where there are `words`, it must be one of them. */
  name: string;
  words?: readonly string[];
  optional?: true;
};

export type Option = {
  summary: string;
  /** The name of its value, `DIR`; without one it is a switch. */
  takes?: string;
};

/** The words that were given, parted by what the command declares. */
export type Given = {
  args: readonly string[];
  has: (option: string) => boolean;
  /** Undefined where the option was not given. */
  value: (option: string) => string | undefined;
};

/** Where the program runs, and as what. */
export type Host = {
  isRoot: boolean;
  /** Whether standard output is a terminal. */
  writesToTerminal: boolean;
  /** Whether a person sits at standard input. */
  hasTerminal: boolean;
  runsSystemd: boolean;
  /** The single binary's path; null where the program runs from its sources. */
  program: string | null;
};

/** The world around a command; only main.ts makes one from the process. */
export type Cli = {
  commands: readonly Command[];
  env: Env;
  machine: Machine;
  out: (text: string) => void;
  err: (text: string) => void;
  /** Writes a line on standard error that says why it failed. */
  fail: (reason: string) => void;
  /** For what is written with `out`. */
  paint: Paint;
  progress: Progress;
  host: Host;
  /** Asks on the terminal. */
  confirm: (question: string) => boolean;
  /** Resolves with the name of the first signal that asks the program to stop. */
  stopSignal: () => Promise<string>;
};

/** The exit codes of the whole program. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

export type Command = {
  /** Empty for what runs without any word. */
  name: string;
  args: readonly Argument[];
  /** By their names without the dashes. */
  options: Readonly<Record<string, Option>>;
  /** One line. */
  summary: string;
  /** Whole lines, for `signalbox NAME --help`. */
  help: string;
  /** Serves until it is told to stop; what is still open then does not keep the program. */
  serves?: true;
  /** @returns the exit code */
  run: (given: Given, cli: Cli) => Promise<number>;
};

/** The message of whatever was thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
