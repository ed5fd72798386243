/**
 * Runs `caddy validate` in a child process that is started in advance: a new one spends most of its
 * 17 ms on starting up; one that already waits on its standard input answers in 4 ms.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { within } from '../../src/shared/async.ts';
import { proxyUnreachable } from './admin.ts';
import { limitMemory, memoryLimit, timeLimit } from './limits.ts';
import { isStoredFilesFault } from './storage/fault.ts';
import { lastErrorOf, rejected } from './words.ts';

export type ValidatorDeps = {
  /** Caddy's program. */
  bin: string;
  /** What its command lines start with, to run as another user. */
  prefix: readonly string[];
  /** Its whole environment. Its data folder is thrown away, now and whenever it is damaged. */
  env: Record<string, string> & { XDG_DATA_HOME: string };
  /** Milliseconds after which a command is killed at the latest; see `timeLimit`. */
  deadline: number;
};

export type Validator = {
  /**
   * Resolves if the proxy would accept `text`.
   * @throws Failure PROXY_REJECTED with the proxy's words; PROXY_UNREACHABLE if it hangs or is missing
   */
  validate(text: string): Promise<void>;
  /** Starts the next child soon, after the answer that is on its way. */
  standBy(): void;
  close(): void;
};

type Child = Bun.Subprocess<'pipe', 'ignore', 'pipe'>;

/** Starting a child takes a core for about 15 ms. */
const STAND_BY_MS = 10;

/** The error is at the end of Caddy's output, so only this much of it is kept. */
const KEPT_BYTES = 64 * 1024;

export function createValidator({ bin, prefix, env, deadline }: ValidatorDeps): Validator {
  throwStorageAway();
  let ready: Child | null = null;
  let closed = false;
  let timer: Timer | null = null;

  /** @throws if the program is missing */
  const spawn = (): Child =>
    Bun.spawn([...prefix, bin, 'validate', '--config', '-', '--adapter', 'caddyfile'], {
      env,
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'pipe',
    });

  function take(): Child {
    const child = ready?.exitCode === null && ready.signalCode === null ? ready : spawn();
    ready = null;
    return child;
  }

  /** @returns Caddy's words, or null if it accepts `text` @throws Failure PROXY_UNREACHABLE */
  async function whyNot(text: string): Promise<string | null> {
    let child: Child;
    try {
      child = take();
      limitMemory(child.pid, memoryLimit(text));
      child.stdin.write(text);
      void child.stdin.end();
    } catch (cause) {
      throw proxyUnreachable(cause);
    }
    const exited = Promise.all([tail(child.stderr), child.exited]);
    const [stderr, code] = await within(exited, timeLimit(text, deadline), () => {
      child.kill('SIGKILL');
      return exited;
    });
    if (child.signalCode !== null)
      throw proxyUnreachable(`validate was killed by ${child.signalCode}`);
    return code === 0 ? null : lastErrorOf(stderr);
  }

  /** It holds nothing but an authority that Caddy makes for a validation. */
  function throwStorageAway(): void {
    try {
      rmSync(join(env.XDG_DATA_HOME, 'caddy'), { recursive: true, force: true });
    } catch {
      // Not writable for now; the next validation will say so if that matters.
    }
  }

  return {
    async validate(text) {
      let reason = await whyNot(text);
      if (reason !== null && isStoredFilesFault(reason)) {
        throwStorageAway();
        reason = await whyNot(text);
      }
      if (reason !== null) throw rejected(reason);
    },

    standBy() {
      if (ready !== null || closed || timer !== null) return;
      timer = setTimeout(() => {
        timer = null;
        if (ready !== null || closed) return;
        try {
          ready = spawn();
          ready.unref();
        } catch {
          // The program is missing for now; the next validation will say so.
        }
      }, STAND_BY_MS);
    },

    close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      ready?.kill();
      ready = null;
    },
  };
}

/** The end of a stream, as text. */
export async function tail(stream: ReadableStream<Uint8Array>): Promise<string> {
  let kept = Buffer.alloc(0);
  for await (const chunk of stream) {
    kept = Buffer.concat([kept, chunk]);
    if (kept.length > 2 * KEPT_BYTES) kept = kept.subarray(-KEPT_BYTES);
  }
  return kept.subarray(-KEPT_BYTES).toString();
}
