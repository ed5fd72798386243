/**
 * `caddy validate` as a child process that stands ready: a fresh one spends most of its 17 ms on
 * starting up, one that waits on its standard input answers in 4.
 */
import { proxyUnreachable } from './admin.ts';
import { lastErrorOf, rejected } from './words.ts';

export type ValidatorDeps = {
  /** Caddy's program. */
  bin: string;
  /** All the environment it gets. */
  env: Record<string, string>;
  /** Milliseconds after which a command is ended. */
  deadline: number;
};

export type Validator = ReturnType<typeof createValidator>;
type Child = Bun.Subprocess<'pipe', 'ignore', 'pipe'>;

/** Starting one up takes a core for about 15 ms. */
const STAND_BY_MS = 10;

/** Caddy's last sentence stands at the end, so only that much of its output is kept. */
const KEPT_BYTES = 64 * 1024;

export function createValidator({ bin, env, deadline }: ValidatorDeps) {
  let ready: Child | null = null;
  let closed = false;
  let soon: Timer | null = null;

  /** @throws where the program is missing */
  const spawn = (): Child =>
    Bun.spawn([bin, 'validate', '--config', '-', '--adapter', 'caddyfile'], {
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

  return {
    /**
     * Resolves where the proxy would take `text`.
     * @throws Failure PROXY_REJECTED with the proxy's words; PROXY_UNREACHABLE where it hangs or is missing
     */
    async validate(text: string): Promise<void> {
      let child: Child;
      try {
        child = take();
        child.stdin.write(text);
        void child.stdin.end();
      } catch (cause) {
        throw proxyUnreachable(cause);
      }
      const timer = setTimeout(() => child.kill('SIGKILL'), deadline);
      const [stderr, code] = await Promise.all([tail(child.stderr), child.exited]);
      clearTimeout(timer);
      if (child.signalCode !== null)
        throw proxyUnreachable(`validate ended by ${child.signalCode}`);
      if (code !== 0) throw rejected(lastErrorOf(stderr));
    },

    /** Has the next one start up soon: the answer that is on its way goes first. */
    standBy(): void {
      if (ready !== null || closed || soon !== null) return;
      soon = setTimeout(() => {
        soon = null;
        if (ready !== null || closed) return;
        try {
          ready = spawn();
          ready.unref();
        } catch {
          // Missing for the moment: whoever validates next hears of it.
        }
      }, STAND_BY_MS);
    },

    close(): void {
      closed = true;
      if (soon !== null) clearTimeout(soon);
      ready?.kill();
      ready = null;
    },
  };
}

async function tail(stream: ReadableStream<Uint8Array>): Promise<string> {
  let kept = Buffer.alloc(0);
  for await (const chunk of stream) {
    kept = Buffer.concat([kept, chunk]);
    if (kept.length > 2 * KEPT_BYTES) kept = kept.subarray(-KEPT_BYTES);
  }
  return kept.subarray(-KEPT_BYTES).toString();
}
