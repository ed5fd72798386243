/** Runs the program as a process. */
import { join } from 'node:path';
import { IS_TEST } from './pace.ts';
import { FEATURES_OF_RUN, until } from './stack.ts';

const ROOT = join(import.meta.dir, '../..');
/** What the suite makes of the program once, as that starts faster. Else its source is started. */
const BUNDLE = process.env.PROGRAM_BUNDLE;
/** The program as it is. */
export const MAIN = BUNDLE ? join(BUNDLE, 'src/main.js') : join(ROOT, 'src/main.ts');
/** The program at the pace of tests. */
export const QUICK_MAIN = join(BUNDLE ?? import.meta.dir, BUNDLE ? 'quick-main' : 'quick-main.ts');
const bun = (file: string) => [process.execPath, '--no-env-file', file];
const real = bun(MAIN);
const quick = BUNDLE ? [QUICK_MAIN] : bun(QUICK_MAIN);

export type Program = ReturnType<typeof runProgram>;

/** @param env all the variables it gets, besides PATH */
export function runProgram(
  args: string[],
  env: Record<string, string>,
  cwd: string,
  more: {
    /** A shell command that runs first, in the same process. */
    before?: string;
    /** Its standard input. */
    input?: string;
    /** What the command line starts with, to run as another user. */
    prefix?: readonly string[];
    /** Path of a compiled program to run instead of the source. */
    binary?: string;
    /** Whether it does what it does by itself as seldom as outside of tests. */
    real?: boolean;
  } = {},
) {
  const source = more.real || !IS_TEST ? real : quick;
  const program = more.binary === undefined ? source : [more.binary];
  const command = [...(more.prefix ?? []), ...program, ...args];
  const shell = ['sh', '-c', `${more.before}; exec "$@"`, 'sh', ...command];
  const child = Bun.spawn(more.before === undefined ? command : shell, {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...FEATURES_OF_RUN, ...env },
    stdin: more.input === undefined ? 'ignore' : new Blob([more.input]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const output = { out: '', err: '' };
  const drain = async (stream: ReadableStream<Uint8Array>, name: 'out' | 'err') => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) output[name] += decoder.decode(chunk, { stream: true });
  };
  const drained = Promise.all([drain(child.stdout, 'out'), drain(child.stderr, 'err')]);
  return {
    child,
    output,
    async exited() {
      const code = await child.exited;
      await drained;
      return { code, ...output };
    },
    /** The address it prints at start-up; `name` is `hub` or `agent`. */
    address: (name: string) =>
      until(
        () => new RegExp(`^${name} listening on (https?://\\S+)$`, 'm').exec(output.out)?.[1],
        `${name} listening (${output.err})`,
      ),
  };
}
