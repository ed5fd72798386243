/** Restores the previous configuration after a failed load, and says so if that fails too. */
import { messageOf } from '../../../src/shared/async.ts';
import { Failure, type FailureCode } from '../../../src/shared/failure.ts';
import { isStorageFault } from '../../../src/shared/http.ts';
import type { Json, JsonObject } from '../../../src/shared/json.ts';
import type { Log } from '../../../src/shared/log.ts';
import { type Admin, proxyUnreachable } from '../admin.ts';
import { idIn } from '../config/patch.ts';
import { staysStray } from '../ports/closed.ts';
import { cleanSentence, rejected } from '../words.ts';

export type RecoveryDeps = {
  admin: Pick<Admin, 'load' | 'liveId'>;
  /** A proxy that the agent may restart; absent if another program runs the proxy. */
  managed?: {
    pid: () => number | null;
    /** Restarts it with nothing but its admin endpoint. @throws Error */
    restart: () => Promise<void>;
  };
  /** Loads the Caddyfile on disk after a restart. @throws Failure */
  resume: () => Promise<void>;
  log: Log;
};

export type Recovery = {
  /**
   * Loads `previous` by force, because a refused load may have left a logger or a listener behind.
   * @param error why the new configuration is not live
   * @returns the error to throw: `error`, or one that also carries why the restore failed
   */
  restore(previous: string, error: unknown): Promise<unknown>;
  /**
   * The same after Caddy could not start `refused`. Before 2.10.1 its listeners may stay open,
   * which only a new process cures: a managed proxy is restarted, otherwise `restartNeeded` is set.
   * @param reason Caddy's own sentence
   * @param resumes whether a restarted proxy loads the Caddyfile on disk
   */
  restoreAfterStart(
    previous: string,
    refused: JsonObject,
    reason: string,
    resumes: boolean,
  ): Promise<unknown>;
  /**
   * Restarts a managed proxy because of stray listeners; afterwards it serves nothing.
   * @throws Failure PROXY_UNREACHABLE; then, or if another program runs it, `restartNeeded` is set
   */
  restart(reason: string): Promise<void>;
  /**
   * Whether a failed start may have left listeners that only a restart closes.
   * @param liveDigest null for a proxy that serves nothing of ours, as after a restart
   */
  restartNeeded(liveDigest: string | null): boolean;
};

export function createRecovery({ admin, managed, resume, log }: RecoveryDeps): Recovery {
  let isRestarting = false;
  let restartNeeded = false;

  function failed(error: unknown, reason = String(error)): unknown {
    log('restore failed', { reason }, 'error');
    return error;
  }

  /** @returns null, or why `previous` is not live */
  async function load(previous: string): Promise<unknown> {
    try {
      const { error } = await admin.load(previous, true);
      if (error === null) return null;
      const reason = failed(rejected(error), error);
      // Caddy keeps what is live if it refuses a load, even if that is the same.
      return (await admin.liveId()) === idIn(previous) ? null : reason;
    } catch (error) {
      return failed(error);
    }
  }

  async function restart(reason: string): Promise<void> {
    log('proxy restarted after a failed start', { reason }, 'warn');
    try {
      if (!managed) throw new Error('another program runs the proxy');
      await managed.restart();
      restartNeeded = false;
    } catch (cause) {
      restartNeeded = true;
      throw proxyUnreachable(cause);
    }
  }

  /** @returns null, or why `previous` is not live */
  async function recover(
    previous: string,
    refused: JsonObject,
    reason: string,
    resumes: boolean,
  ): Promise<unknown> {
    const restoreError = await load(previous);
    const pid = managed?.pid() ?? null;
    if (!managed || pid === null || isRestarting) {
      restartNeeded = true;
      return restoreError;
    }
    if (!(await staysStray(pid, JSON.parse(previous) as Json, refused))) return restoreError;
    isRestarting = true;
    try {
      await restart(reason);
      if (resumes) await resume();
      return null;
    } catch (error) {
      return failed(error);
    } finally {
      isRestarting = false;
    }
  }

  return {
    restore: async (previous, error) => withRestoreError(error, await load(previous)),
    restoreAfterStart: async (previous, refused, reason, resumes) =>
      withRestoreError(rejected(reason), await recover(previous, refused, reason, resumes)),
    restart,
    restartNeeded(liveDigest) {
      if (liveDigest === null) restartNeeded = false;
      return restartNeeded;
    },
  };
}

const NOT_RESTORED = 'the previous configuration could not be restored';

/** What a caller reads instead of a message that claims that nothing was changed. */
const MESSAGES: Partial<Record<FailureCode, string>> = {
  PROXY_REJECTED:
    'The proxy refused this configuration, and the previous one could not be restored.',
  PROXY_UNREACHABLE: `The proxy does not answer, and ${NOT_RESTORED}.`,
  STORAGE_UNAVAILABLE: `The disk is full or not writable, and ${NOT_RESTORED}.`,
};

/** @returns `error`, or one with the same code that names both reasons and has both as its cause */
function withRestoreError(error: unknown, restoreError: unknown): unknown {
  if (restoreError === null) return error;
  const reason = `${NOT_RESTORED}: ${wordsOf(restoreError)}`;
  const cause = new AggregateError([error, restoreError], reason);
  const failure = error instanceof Failure ? error : null;
  const code = failure?.code ?? (isStorageFault(error) ? 'STORAGE_UNAVAILABLE' : 'INTERNAL');
  const message = MESSAGES[code];
  if (message === undefined) return cause;
  const first = failure ? failure.detail : cleanSentence(messageOf(error));
  const detail = first === undefined ? reason : `${first}; ${reason}`;
  return new Failure(code, message, { detail, at: failure?.at, cause });
}

/** Why something failed, without paths of the host. */
const wordsOf = (error: unknown): string =>
  (error instanceof Failure ? error.detail : undefined) ?? cleanSentence(messageOf(error));
