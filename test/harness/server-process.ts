/** Runs another project's server as a process, for tests. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './stack.ts';

/** @returns its path: named by the environment variable, or the first on the PATH; null without any */
export const findServer = (variable: string, name: string): string | null =>
  process.env[variable] || Bun.which(name);

/**
 * Starts it in a folder, and waits until it accepts connections.
 * @returns what ends it
 * @throws Error if it ends first, with what it printed
 */
export async function startServer(
  command: readonly string[],
  folder: string,
  port: number,
  env: Record<string, string> = {},
  hostname = '127.0.0.1',
): Promise<() => Promise<void>> {
  const log = join(folder, 'server.log');
  const handle = openSync(log, 'a');
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', handle, handle],
  });
  closeSync(handle);
  const stop = async () => {
    child.kill('SIGKILL');
    await child.exited;
  };
  const accepts = () =>
    Bun.connect({ hostname, port, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    );
  try {
    await until(async () => child.exitCode !== null || (await accepts()), command[0]);
  } catch (error) {
    await stop();
    throw error;
  }
  if (child.exitCode !== null) throw new Error(readFileSync(log, 'utf8'));
  return stop;
}
