/** What tests need, started before them and stopped after them. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test';

type Stoppable = { stop(): unknown };

/**
 * Starts something before the first test of the `describe` around the call, and stops it after the last one; for a
 * whole file, `forFile` does. The result stands for what runs: it has members only while tests run.
 * @param timeout of the start, in milliseconds
 */
export function forAllTests<T extends Stoppable>(start: () => T | Promise<T>, timeout?: number): T {
  const { now, begin, end } = createRun(start);
  beforeAll(begin, timeout);
  afterAll(end);
  return now;
}

/** The same, but another one for each test. */
export function forEachTest<T extends Stoppable>(start: () => T | Promise<T>): T {
  const { now, begin, end } = createRun(start);
  beforeEach(begin);
  afterEach(end);
  return now;
}

function createRun<T extends Stoppable>(start: () => T | Promise<T>) {
  let running: T | undefined;
  const current = (): T => {
    if (running === undefined) throw new Error('it runs only while tests do');
    return running;
  };
  return {
    now: new Proxy({} as T, {
      get: (_, name) => Reflect.get(current(), name),
      set: (_, name, value) => Reflect.set(current(), name, value),
    }),
    async begin() {
      running = await start();
    },
    async end() {
      await running?.stop();
      running = undefined;
    },
  };
}
