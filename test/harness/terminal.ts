/** Runs the program on a terminal, for what it does only there. */
import { MAIN } from './program.ts';

/**
 * Without colours.
 * @param type what somebody types, from the beginning
 * @returns the exit code, and everything that was to be seen
 */
export async function runAtTerminal(
  args: string[],
  { cwd, env = {}, type = '' }: { cwd: string; env?: Record<string, string>; type?: string },
): Promise<{ code: number; seen: string }> {
  let seen = '';
  const ended = Promise.withResolvers<void>();
  const decoder = new TextDecoder();
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', NO_COLOR: '1', ...env },
    terminal: {
      cols: 200,
      data: (_terminal, bytes) => {
        seen += decoder.decode(bytes, { stream: true });
      },
      exit: () => ended.resolve(),
    },
  });
  child.terminal?.write(type);
  const code = await child.exited;
  // What it wrote last may come after its end.
  await ended.promise;
  return { code, seen: seen.replaceAll('\r\n', '\n') };
}
