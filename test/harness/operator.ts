/** The program on one machine, as an operator starts, uses and stops it. */
import { expect } from 'bun:test';
import { rmSync } from 'node:fs';
import { type Program, runProgram } from './program.ts';
import { ask, freePort, portSettings, temporaryFolder } from './stack.ts';

export type Operator = {
  /** A temporary folder; everything runs in it unless told otherwise. */
  folder: string;
  /** The HTTP port of Caddy. */
  port: number;
  /** Runs a command to its end; `before` and `input` as for `runProgram`. */
  run: (
    args: string[],
    more?: { cwd?: string; before?: string; input?: string },
  ) => Promise<{ code: number; out: string; err: string }>;
  /** Starts the one-machine mode; `hub` is the base of its API. */
  start: (cwd?: string) => Promise<{ program: Program; hub: string }>;
  /** What Caddy answers for a host; undefined if it does not answer. */
  served: (host: string) => Promise<string | undefined>;
  /** Stops what is still running, and removes the folder. */
  close: () => Promise<void>;
};

/** @param more settings besides */
export function createOperator(more: Record<string, string> = {}): Operator {
  const folder = temporaryFolder();
  const port = freePort();
  const env = { ...portSettings(port), ...more };
  const started: Program[] = [];
  return {
    folder,
    port,
    run: (args, { cwd = folder, ...more } = {}) => runProgram(args, {}, cwd, more).exited(),
    async start(cwd = folder) {
      const program = runProgram([], env, cwd);
      started.push(program);
      return { program, hub: `${await program.address('hub')}/api` };
    },
    served: async (host) =>
      (await ask(`http://127.0.0.1:${port}/`, { headers: { Host: host } }).catch(() => null))?.text,
    async close() {
      for (const program of started) {
        program.child.kill('SIGTERM');
        await program.exited();
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a command ends with that is refused: 1, nothing on standard output, and these words in its error. */
export const refusal = (words: string): { code: number; out: string; err: string } => ({
  code: 1,
  out: '',
  err: expect.stringContaining(words),
});
