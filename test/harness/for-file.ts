/** What the tests of a file share, from before the first until after the last. */
import { afterAll } from 'bun:test';
import { rmSync } from 'node:fs';
import { temporaryFolder } from './stack.ts';

type Running = { stop(): unknown } | { end(): unknown } | { close(): unknown };

/** How to end what the current file shares. */
const ends: (() => unknown)[] = [];

/** What was started last ends first: it may use what is older. */
function endAfterAll(end: () => unknown): void {
  ends.push(end);
  if (ends.length > 1) return;
  afterAll(async () => {
    for (let last = ends.pop(); last; last = ends.pop()) await last();
  });
}

/** Waits until it runs, and ends it after the last test of the file. */
export async function forFile<T extends Running>(starting: T | Promise<T>): Promise<T> {
  const running = await starting;
  endAfterAll(() => {
    if ('stop' in running) return running.stop();
    return 'end' in running ? running.end() : running.close();
  });
  return running;
}

/** A server on loopback for the tests of the file. */
export function serverForFile(
  fetch: (request: Request) => Response | Promise<Response>,
  more: { tls?: Bun.TLSOptions; idleTimeout?: number } = {},
) {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch, ...more });
  endAfterAll(() => server.stop(true));
  return server;
}

/**
 * A listener on loopback for the tests of the file.
 * @param hear gets all that a connection has sent so far, as often as there is more
 */
export function listenerForFile(
  hear: (text: string, socket: Bun.Socket<{ text: string }>) => void,
  encoding: BufferEncoding = 'utf8',
) {
  const listener = Bun.listen<{ text: string }>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => {
        socket.data = { text: '' };
      },
      data(socket, chunk) {
        socket.data.text += chunk.toString(encoding);
        hear(socket.data.text, socket);
      },
    },
  });
  endAfterAll(() => listener.stop(true));
  return listener;
}

/** A folder that is removed after the last test of the file. */
export function folderForFile(): string {
  const folder = temporaryFolder();
  endAfterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
