/**
 * A proxyfile becomes live here or changes nothing:
 * write beside → validate and adapt → patch → load → look → swap the file in.
 */
import { writeFileSync } from 'node:fs';
import { Failure } from '../failure.ts';
import { type Admin, type AdminAnswer, AdminUnreachable, proxyUnreachable } from './admin.ts';
import { digestOf, discard, readIfThere, swapIn, writeDurably } from './files.ts';
import type { JsonObject } from './json.ts';
import { patchConfig, type Stamp } from './patch.ts';
import { addedListeners, findTaken } from './ports.ts';
import type { Validate } from './validate.ts';
import { rejected } from './words.ts';

export type ReloadDeps = {
  admin: Admin;
  validate: Validate;
  /** The file that always holds the last text the proxy accepted. */
  proxyfile: string;
  accessLog: Stamp['accessLog'];
  /** Ends a managed proxy and starts it with nothing but its admin endpoint. */
  restart?: () => Promise<void>;
  log: (event: string, fields?: Record<string, unknown>) => void;
};

export type Reload = ReturnType<typeof createReload>;

/** `http app module: start: listening on :443: …` */
const FAILED_START = /: start: /;

export function createReload(deps: ReloadDeps) {
  const { admin, validate, proxyfile, log } = deps;
  const candidate = `${proxyfile}.candidate`;
  let last: Promise<unknown> = Promise.resolve();
  let checks = 0;
  let restarting = false;

  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = last.then(run, run);
    last = result.catch(() => undefined);
    return result;
  }

  /** Adapted by the proxy itself and patched: what is to be loaded. */
  async function prepare(text: string, digest: string): Promise<JsonObject> {
    const adapted = await admin.adapt(text);
    if (adapted.error !== null) throw rejected(adapted.error);
    const { result } = JSON.parse(adapted.text) as { result: JsonObject };
    return patchConfig(result, { digest, admin: admin.address, accessLog: deps.accessLog });
  }

  /** Forces `before` back: a refused load may have left a log or a listener of its own behind. */
  async function restore(before: string): Promise<void> {
    try {
      const answer = await admin.load(before, true);
      if (answer.error === null) return;
      log('restore failed', { reason: answer.error });
    } catch (error) {
      log('restore failed', { reason: String(error) });
    }
  }

  /**
   * After a failed start: before Caddy 2.10.1 only a new process ends the listeners that it may
   * have left behind, with the refused configuration on them. Where the agent has no say over the
   * process, the old configuration is all it can bring back.
   */
  async function recover(before: string, reason: string): Promise<void> {
    if (!deps.restart || restarting) return restore(before);
    restarting = true;
    try {
      log('proxy restarted after a failed start', { reason });
      await deps.restart();
      await resume();
    } catch (error) {
      log('restore failed', { reason: String(error) });
    } finally {
      restarting = false;
    }
  }

  /** Loads the file's text where something else is live. */
  async function resume(): Promise<void> {
    const text = readIfThere(proxyfile);
    const digest = text === null ? null : digestOf(text);
    if (text !== null && (await admin.liveDigest()) !== digest) await publish(text, undefined);
  }

  /** @throws Failure with the old configuration back in place */
  async function makeLive(json: string, digest: string, before: string): Promise<void> {
    let answer: AdminAnswer;
    try {
      answer = await admin.load(json);
    } catch (cause) {
      await restore(before);
      throw proxyUnreachable(cause);
    }
    if (answer.error !== null) {
      if (FAILED_START.test(answer.error)) await recover(before, answer.error);
      else await restore(before);
      throw rejected(answer.error);
    }
    const live = await admin.liveDigest().catch(() => undefined);
    if (live === digest) return;
    await restore(before);
    throw proxyUnreachable('the proxy took the configuration but does not show it');
  }

  async function publish(text: string, expects: string | undefined): Promise<string> {
    const digest = digestOf(text);
    try {
      const live = await admin.liveDigest();
      if (expects !== undefined && expects !== live) {
        throw new Failure('STALE', 'Another configuration is live than the one this replaces.');
      }
      writeDurably(candidate, text);
      const [config, before] = await Promise.all([
        prepare(text, digest),
        admin.config(),
        validate(candidate),
      ]);
      assertPortsFree(config, before);
      await makeLive(JSON.stringify(config), digest, before);
      try {
        swapIn(candidate, proxyfile);
      } catch (error) {
        await restore(before);
        throw error;
      }
      return digest;
    } catch (error) {
      discard(candidate);
      throw error instanceof AdminUnreachable ? proxyUnreachable(error) : error;
    }
  }

  return {
    /**
     * Makes `text` live and the file's content, or leaves both as they were. One at a time.
     * @param expects digest of the live configuration it replaces
     * @returns the digest of `text`
     * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE, STALE; file system errors
     */
    reload(text: string, expects?: string): Promise<string> {
      return inTurn(() => publish(text, expects));
    },

    /** Resolves where the proxy would take `text`. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
    async check(text: string): Promise<void> {
      const file = `${proxyfile}.check-${checks++}`;
      try {
        writeFileSync(file, text);
        await Promise.all([prepare(text, ''), validate(file)]);
      } catch (error) {
        throw error instanceof AdminUnreachable ? proxyUnreachable(error) : error;
      } finally {
        discard(file);
      }
    },

    /** Loads the file's text where something else is live. @throws as reload */
    resume: (): Promise<void> => inTurn(resume),
  };
}

/** @throws Failure PROXY_REJECTED where somebody else listens on a port that `config` adds */
function assertPortsFree(config: JsonObject, before: string): void {
  const taken = findTaken(addedListeners(config, before));
  if (taken === null) return;
  throw rejected(`listening on ${taken.host}:${taken.port}: address already in use`);
}
