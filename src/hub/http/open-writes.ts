/** Which requests that may change something have no answer yet. */
import { within } from '../../shared/async.ts';
import type { Handler, Wrap } from '../../shared/observe/requests.ts';

export type OpenWrites = {
  /** For Elysia's `wrap`. */
  wrap(): Wrap;
  /**
   * Resolves once all but the caller's own have their answer. Never fails, and waits five seconds at most: a
   * stranger may be slow to send a body.
   */
  alone(): Promise<void>;
};

const MOST_MS = 5_000;
/** The methods of requests that change nothing. */
export const READING = ['GET', 'HEAD', 'OPTIONS'];

export function createOpenWrites(): OpenWrites {
  let open = 0;
  let waiting: (() => void)[] = [];

  function ended(): void {
    open--;
    if (open > 1) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  const wrap =
    (handle: Handler): Handler =>
    async (request) => {
      if (READING.includes(request.method)) return handle(request);
      open++;
      try {
        return await handle(request);
      } finally {
        ended();
      }
    };

  return {
    wrap: () => wrap as unknown as Wrap,
    async alone() {
      if (open <= 1) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      await within(promise, MOST_MS, () => undefined);
    },
  };
}
