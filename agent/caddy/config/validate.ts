/**
 * Runs `caddy validate` in a child process that is started in advance: a new one spends most of its
 * 17 ms on starting up; one that already waits on its standard input answers in 4 ms.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { within } from '../../../src/shared/async.ts';
import { tail } from '../../../src/shared/bounded.ts';
import { field, object } from '../../../src/shared/json.ts';
import { proxyUnreachable } from '../admin.ts';
import { isStoredFilesFault, lastErrorOf, NO_REASON, rejected } from '../words.ts';
import { adaptApart, type CommandDeps, limitMemory, memoryLimit, timeLimit } from './adapt.ts';

/**
 * Validation must not share the proxy's storage: it creates a CA if a site asks for one. It ends before
 * collecting garbage is worth a quarter of its processor time; 10,000 sites take 240 MB instead of 170.
 */
export function validationEnv(env: Record<string, string>): CommandDeps['env'] {
  const home = join(env.HOME ?? '/nonexistent', 'validate');
  return { GOGC: '400', ...env, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
}

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

/** What replaces the log of a text whose refusal cannot be seen. */
const SEEN = { writer: { output: 'stderr' }, encoder: { format: 'json' }, level: 'ERROR' };

export function createValidator(deps: CommandDeps): Validator {
  const { prefix, env, deadline } = deps;
  throwStorageAway();
  let ready: Child | null = null;
  /** The program that it was started from; by now, another one may run. */
  let readyBin = '';
  let closed = false;
  let timer: Timer | null = null;

  /** @throws if the program is missing */
  const spawn = (adapter: readonly string[] = ['--adapter', 'caddyfile']): Child =>
    Bun.spawn([...prefix, deps.bin, 'validate', '--config', '-', ...adapter], {
      env,
      // As in `adaptApart`.
      cwd: '/',
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'pipe',
    });

  function take(): Child {
    const child = ready;
    ready = null;
    const isAlive = child?.exitCode === null && child.signalCode === null;
    if (child && isAlive && readyBin === deps.bin) return child;
    child?.kill();
    return spawn();
  }

  /**
   * @param start starts the child that reads `text`
   * @returns Caddy's words, or null if it accepts `text`
   * @throws Failure PROXY_UNREACHABLE
   */
  async function whyNot(text: string, start = take): Promise<string | null> {
    let child: Child;
    try {
      child = start();
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

  /**
   * Since 2.11.6 Caddy logs why it refuses, and the text itself may say that its log goes to a file, or
   * has only what is graver: this asks once more for what `text` is without that.
   * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE
   */
  async function whyInSilence(text: string): Promise<string> {
    const config = await adaptApart(text, deps);
    const logging = object(config.logging);
    const logs = { ...object(field(logging, 'logs')), default: SEEN };
    const seen = JSON.stringify({ ...config, logging: { ...logging, logs } });
    return (await whyNot(seen, () => spawn([]))) ?? NO_REASON;
  }

  async function why(text: string): Promise<string | null> {
    const reason = await whyNot(text);
    return reason === NO_REASON ? whyInSilence(text) : reason;
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
      let reason = await why(text);
      if (reason !== null && isStoredFilesFault(reason)) {
        throwStorageAway();
        reason = await why(text);
      }
      if (reason !== null) throw rejected(reason, text);
    },

    standBy() {
      if (ready !== null || closed || timer !== null) return;
      timer = setTimeout(() => {
        timer = null;
        if (ready !== null || closed) return;
        try {
          readyBin = deps.bin;
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
