/** Runs a command of the program within this process, as on another machine. */
import { type Cli, parseWords } from '../../src/program/cli/command.ts';
import { createProgress } from '../../src/program/cli/progress.ts';
import { createPaint } from '../../src/program/paint.ts';
import { COMMANDS } from './commands.ts';

export type Here = {
  env?: Record<string, string>;
  /** By default, root on a terminal. */
  host?: Partial<Cli['host']> | undefined;
  /** To a yes-or-no question. */
  agrees?: boolean;
  /** To any other. */
  answer?: string;
};

/** @throws Error if the words are no command with arguments that it takes */
export async function runHere(
  words: readonly string[],
  { env = {}, host = {}, agrees = false, answer = '' }: Here = {},
): Promise<{ code: number; out: string; text: string; asked: string[] }> {
  const parsed = parseWords(words, COMMANDS);
  if (parsed.ask !== 'run') throw new Error('no such command');
  let out = '';
  let text = '';
  const asked: string[] = [];
  const write = (more: string) => {
    text += more;
  };
  const code = await parsed.command.run(parsed.given, {
    commands: COMMANDS,
    env,
    ownEnv: env,
    machine: { readFile: () => '', which: () => null },
    out: (more) => {
      out += more;
      write(more);
    },
    err: write,
    fail: write,
    paint: createPaint(false, {}),
    progress: createProgress(
      { write },
      () => 0,
      () => () => {},
    ),
    host: {
      writesToTerminal: false,
      isRoot: true,
      hasTerminal: true,
      isContainer: false,
      runsSystemd: true,
      program: null,
      addresses: async () => [],
      ...host,
    },
    ask: (question, usual) => {
      asked.push(question);
      return answer || usual;
    },
    confirm: (question) => {
      asked.push(question);
      return agrees;
    },
    stopSignal: () => Promise.reject(new Error('nothing runs')),
    onRestartSignal() {},
    replaceProgram() {
      throw new Error('nothing runs');
    },
    readerGone: () => Promise.withResolvers<void>().promise,
  });
  return { code, out, text, asked };
}
