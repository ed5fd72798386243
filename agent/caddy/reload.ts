/**
 * A proxyfile becomes live here or changes nothing:
 * write beside ∥ validate ∥ adapt → patch → try ports → load → look → swap the file in.
 */
import { Failure } from '../../src/shared/failure.ts';
import type { Log } from '../../src/shared/observe/log.ts';
import { leavesTraces } from './adapt.ts';
import { type Admin, type AdminAnswer, AdminUnreachable, proxyUnreachable } from './admin.ts';
import type { Json, JsonObject } from './json.ts';
import type { Judge } from './judge.ts';
import { staysStray } from './listeners.ts';
import { patchConfig, type Stamp } from './patch.ts';
import { addedListeners, findTaken } from './ports.ts';
import { digestOf, type Proxyfile } from './proxyfile.ts';
import type { Validator } from './validate.ts';
import { rejected } from './words.ts';

export type ReloadDeps = {
  admin: Admin;
  validator: Validator;
  /** Adapts a text in a process of its own. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adaptApart: (text: string) => Promise<JsonObject>;
  proxyfile: Proxyfile;
  accessLog: Stamp['accessLog'];
  judge: Judge;
  /** What can be done about a managed proxy; an unmanaged one is somebody else's. */
  managed?: {
    pid: () => number | null;
    /** Ends it and starts it with nothing but its admin endpoint. */
    restart: () => Promise<void>;
  };
  log: Log;
};

export type ReloadOptions = {
  /** Digest of the live configuration it replaces. */
  expects?: string | undefined;
  /** The same text with lines left empty that need no validation; the load judges the whole. */
  probe?: string | undefined;
};

/** `http app module: start: listening on :443: …` */
const FAILED_START = /: start: /;

export function createReload(deps: ReloadDeps) {
  const { admin, validator, proxyfile, judge, log } = deps;
  let last: Promise<unknown> = Promise.resolve();
  let restarting = false;
  let restartNeeded = false;
  /** What was loaded last, as JSON: what a refused load goes back to. */
  let loaded: { digest: string; json: string } | null = null;

  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = last.then(run, run);
    last = result.catch(() => undefined);
    return result;
  }

  /** Adapted by the live proxy: at 1,000 sites in a third of the time a new process takes. */
  async function adaptLive(text: string): Promise<JsonObject> {
    const answer = await admin.adapt(text);
    if (answer.error !== null) throw rejected(answer.error);
    return (JSON.parse(answer.text) as { result: JsonObject }).result;
  }

  /** Adapted and patched: what is to be loaded. @throws Failure PROXY_REJECTED */
  async function prepare(text: string, digest: string, judged = true): Promise<JsonObject> {
    const config = leavesTraces(text) ? await deps.adaptApart(text) : await adaptLive(text);
    if (judged) judge.config(config);
    return patchConfig(config, { digest, admin: admin.address, accessLog: deps.accessLog });
  }

  /** The live configuration as JSON text. @throws Failure STALE where it is not the expected one */
  async function replaced(expects?: string): Promise<string> {
    const live = await admin.liveDigest();
    if (expects !== undefined && expects !== live) {
      throw new Failure('STALE', 'Another configuration is live than the one this replaces.');
    }
    return loaded !== null && loaded.digest === live ? loaded.json : admin.config();
  }

  /** Forces `config` back: a refused load may have left a log or a listener of its own behind. */
  async function restore(config: string): Promise<void> {
    try {
      const answer = await admin.load(config, true);
      if (answer.error === null) return;
      log('restore failed', { reason: answer.error }, 'error');
    } catch (error) {
      log('restore failed', { reason: String(error) }, 'error');
    }
  }

  /**
   * After a failed start the old configuration comes back. Before Caddy 2.10.1 listeners may be
   * left behind with the refused one on them, which only a new process ends; where the agent has
   * no say over the process, the status tells.
   */
  async function recover(config: string, refused: JsonObject, reason: string): Promise<void> {
    await restore(config);
    const pid = deps.managed?.pid() ?? null;
    if (!deps.managed || pid === null || restarting) {
      restartNeeded = true;
      return;
    }
    if (!(await staysStray(pid, JSON.parse(config) as Json, refused))) return;
    restarting = true;
    try {
      log('proxy restarted after a failed start', { reason }, 'warn');
      await deps.managed.restart();
      await resume();
    } catch (error) {
      log('restore failed', { reason: String(error) }, 'error');
    } finally {
      restarting = false;
    }
  }

  /** Loads the file's text where something else is live. */
  async function resume(): Promise<void> {
    const text = proxyfile.read();
    if (text !== null && (await admin.liveDigest()) !== digestOf(text))
      await publish(text, {}, false);
  }

  /** @throws Failure with the old configuration back in place */
  async function makeLive(config: JsonObject, digest: string, old: string): Promise<void> {
    const json = JSON.stringify(config);
    let answer: AdminAnswer;
    try {
      answer = await admin.load(json);
    } catch (cause) {
      await restore(old);
      throw proxyUnreachable(cause);
    }
    if (answer.error !== null) {
      if (FAILED_START.test(answer.error)) await recover(old, config, answer.error);
      else await restore(old);
      throw rejected(answer.error);
    }
    const live = await admin.liveDigest().catch(() => undefined);
    if (live !== digest) {
      await restore(old);
      throw proxyUnreachable('the proxy took the configuration but does not show it');
    }
    loaded = { digest, json };
  }

  /** @param judged false for what stands on disk: it was judged when it was pushed, or is the operator's */
  async function publish(
    text: string,
    { expects, probe }: ReloadOptions,
    judged = true,
  ): Promise<string> {
    const digest = digestOf(text);
    try {
      // What a probe has beyond the end is not part of the text.
      const beyond = probe !== undefined && countLines(probe) > countLines(text);
      if (judged) await judge.text(text);
      if (judged && beyond) await judge.text(probe);
      const [was, valid, written, adapted, tried] = await Promise.allSettled([
        replaced(expects),
        validator.validate(probe ?? text),
        proxyfile.writeCandidate(text),
        prepare(text, digest, judged),
        beyond ? prepare(probe, '', judged) : null,
      ]);
      const old = settled(was);
      settled(valid);
      settled(written);
      settled(tried);
      const config = settled(adapted);
      assertPortsFree(config, old);
      await makeLive(config, digest, old);
      try {
        const copy = proxyfile.swapIn(digest);
        if (copy !== null) log('kept a proxyfile of somebody else', { copy }, 'warn');
      } catch (error) {
        loaded = null;
        await restore(old);
        throw error;
      }
      return digest;
    } catch (error) {
      proxyfile.dropCandidate();
      throw reachable(error);
    } finally {
      validator.standBy();
    }
  }

  async function check(text: string, ports = true): Promise<void> {
    try {
      await judge.text(text);
      const [valid, adapted, was] = await Promise.allSettled([
        validator.validate(text),
        prepare(text, ''),
        replaced(),
      ]);
      settled(valid);
      const [config, before] = [settled(adapted), settled(was)];
      if (ports) assertPortsFree(config, before);
    } catch (error) {
      throw reachable(error);
    } finally {
      validator.standBy();
    }
  }

  return {
    /**
     * Makes `text` live and the file's content, or leaves both as they were. One at a time.
     * @returns the digest of `text`
     * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE, STALE; file system errors
     */
    reload: (text: string, options: ReloadOptions = {}): Promise<string> =>
      inTurn(() => publish(text, options)),

    /** Resolves where the proxy would take `text`. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
    check,

    /** Loads the file's text where something else is live. @throws as reload */
    resume: (): Promise<void> => inTurn(resume),

    /** Whether a failed start may have left listeners behind that only a new process ends. */
    restartNeeded: (): boolean => restartNeeded,

    /** A proxy that shows nothing of ours has been started anew. */
    sawRestart: (): void => {
      restartNeeded = false;
    },
  };
}

function settled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

const countLines = (text: string): number => text.split('\n').length;

const reachable = (error: unknown) =>
  error instanceof AdminUnreachable ? proxyUnreachable(error) : error;

/** @throws Failure PROXY_REJECTED where somebody else listens on a port that `config` adds */
function assertPortsFree(config: JsonObject, old: string): void {
  const taken = findTaken(addedListeners(config, old));
  if (taken === null) return;
  throw rejected(`listening on ${taken.host}:${taken.port}: address already in use`);
}
