/** `caddy validate` as a child process: the only program the agent runs besides the proxy itself. */
import { proxyUnreachable } from './admin.ts';
import { lastErrorOf, rejected } from './words.ts';

export type ValidatorDeps = {
  /** Caddy's program. */
  bin: string;
  /** All the environment it gets. */
  env: Record<string, string>;
  /** Milliseconds after which a validation is ended. */
  deadline?: number;
};

export type Validate = (file: string) => Promise<void>;

/** The same as towards the admin endpoint; 10,000 sites take about 1.3 s. */
const DEADLINE_MS = 30_000;

/** Caddy's last sentence stands at the end, so only that much of its output is kept. */
const KEPT_BYTES = 64 * 1024;

/**
 * @returns a function that resolves where the proxy would take `file` and
 * @throws Failure PROXY_REJECTED with the proxy's words; PROXY_UNREACHABLE where it hangs or is missing
 */
export function createValidate(deps: ValidatorDeps): Validate {
  return async (file) => {
    let child: Bun.Subprocess<'ignore', 'ignore', 'pipe'>;
    try {
      child = Bun.spawn([deps.bin, 'validate', '--config', file, '--adapter', 'caddyfile'], {
        env: deps.env,
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: 'pipe',
        timeout: deps.deadline ?? DEADLINE_MS,
        killSignal: 'SIGKILL',
      });
    } catch (cause) {
      throw proxyUnreachable(cause);
    }
    const [stderr, code] = await Promise.all([tail(child.stderr), child.exited]);
    if (child.signalCode !== null) throw proxyUnreachable(`validate ended by ${child.signalCode}`);
    if (code !== 0) throw rejected(lastErrorOf(stderr).replaceAll(file, 'Caddyfile'));
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
