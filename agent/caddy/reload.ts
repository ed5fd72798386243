/**
 * Makes a Caddyfile live, or changes nothing:
 * write beside ∥ validate ∥ adapt → patch → try ports → load → check the digest → swap the file in.
 */
import { createQueue } from '../../src/shared/async.ts';
import { FAILURES, Failure } from '../../src/shared/failure.ts';
import type { Warnings } from '../warnings.ts';
import { needsOwnProcess } from './adapt.ts';
import { type Admin, type AdminAnswer, AdminUnreachable, proxyUnreachable } from './admin.ts';
import { withoutSecrets } from './identity.ts';
import { field, type JsonObject, list, object } from './json.ts';
import { assertRegularFiles } from './named-files.ts';
import { patchConfig, type Stamp } from './patch.ts';
import { addedListeners, findTaken } from './ports.ts';
import { digestOf, isOther, type Proxyfile, type SwapOptions } from './proxyfile.ts';
import { createRecovery, type Recovery, type RecoveryDeps } from './recovery.ts';
import type { Restrictions } from './restrictions.ts';
import type { Validator } from './validate.ts';
import { withdrawnSentence } from './withdrawn.ts';
import { Restricted, rejected } from './words.ts';

export type ReloadDeps = Omit<RecoveryDeps, 'admin' | 'resume'> & {
  admin: Admin;
  validator: Validator;
  /** Adapts a text in a separate process. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adaptApart: (text: string) => Promise<JsonObject>;
  proxyfile: Proxyfile;
  accessLog: Stamp['accessLog'];
  /** Caddy's variables. */
  env: Readonly<Record<string, string>>;
  restrictions: Restrictions;
  warnings: Pick<Warnings, 'set'>;
};

/** With `keep` but not `replace`, also warns of the sites that are withdrawn. */
export type ReloadOptions = SwapOptions & {
  /** Whether it may replace what is for another hub. */
  replace?: boolean | undefined;
  /** Digest of the live configuration that this one replaces. */
  expects?: string | undefined;
  /** The same text with the lines that need no validation left empty; the load checks it all. */
  probe?: string | undefined;
};

export type Reload = {
  /**
   * Makes `text` live and stores it in the file, or leaves both as they were. One at a time.
   * @returns the digest of `text`
   * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE, STALE, OTHER_HUB, STORAGE_UNAVAILABLE; file
   * system errors
   */
  reload(text: string, options?: ReloadOptions): Promise<string>;
  /**
   * Checks whether the proxy would accept `text`, without loading it.
   * @param ports whether the ports it adds must be free
   * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE
   */
  check(text: string, ports?: boolean): Promise<void>;
  /** Loads the file unless it is live already. @throws as `reload` */
  resume(): Promise<void>;
  /**
   * After a change of the token, lets the current secret name into a live configuration that knows
   * the previous one, so that the agent can do without the previous token from then on.
   * @throws AdminUnreachable
   */
  renewSecret(): Promise<void>;
  restartNeeded: Recovery['restartNeeded'];
};

/** `http app module: start: listening on :443: …` */
const FAILED_START = /: start: /;

export function createReload(deps: ReloadDeps): Reload {
  const { admin, validator, proxyfile, restrictions, log } = deps;
  const enqueue = createQueue();
  const recovery = createRecovery({ ...deps, resume });
  /** What was loaded last, as JSON: what a refused load goes back to. */
  let loaded: { digest: string; json: string } | null = null;

  /** Adapts in the live proxy: at 1,000 sites this takes a third of the time of a new process. */
  async function adaptLive(text: string): Promise<JsonObject> {
    const answer = await admin.adapt(text);
    if (answer.error !== null) throw rejected(answer.error);
    return (JSON.parse(answer.text) as { result: JsonObject }).result;
  }

  /** Adapts and checks what is to be loaded. @throws Failure PROXY_REJECTED */
  async function prepare(text: string, trusted = false): Promise<JsonObject> {
    const config = needsOwnProcess(text) ? await deps.adaptApart(text) : await adaptLive(text);
    if (!trusted) {
      restrictions.checkConfig(config, text);
      assertRegularFiles(config, deps.env);
    }
    return config;
  }

  /** A proxy that another program starts keeps the origins that its operator gave it. */
  async function originsToKeep(): Promise<string[]> {
    return deps.managed ? [] : await admin.otherOrigins();
  }

  /**
   * Validates `text` once its adaptation shows that Caddy may read it and the files it names.
   * @param preparing the adaptations of `text`, and of the whole that it is part of
   */
  async function validate(
    text: string,
    preparing: readonly (Promise<unknown> | null)[],
  ): Promise<void> {
    for (const result of await Promise.allSettled(preparing)) {
      if (result.status === 'rejected' && result.reason instanceof Restricted) throw result.reason;
    }
    await validator.validate(text);
  }

  /**
   * The live configuration as JSON text.
   * @throws Failure STALE unless it is the expected one, OTHER_HUB if it is for another hub
   */
  async function replaced({ expects, hub, replace }: ReloadOptions = {}): Promise<string> {
    const live = await admin.liveStamp();
    if (expects !== undefined && expects !== live.digest) {
      throw new Failure('STALE', 'The live configuration is not the one that this one replaces.');
    }
    if (!replace && isOther(live.hub ?? proxyfile.owner(), hub)) {
      throw new Failure('OTHER_HUB', FAILURES.OTHER_HUB.meaning);
    }
    return loaded !== null && loaded.digest === live.digest ? loaded.json : admin.config();
  }

  async function resume(): Promise<void> {
    const text = proxyfile.read();
    if (text !== null && (await admin.liveDigest()) !== digestOf(text))
      await publish(text, {}, true);
  }

  async function renewSecret(): Promise<void> {
    const live = JSON.parse(await admin.config()) as JsonObject | null;
    const origins = list(field(live, 'admin', 'origins')).map(String);
    const others = withoutSecrets(origins);
    if (others.length === origins.length || origins.includes(admin.secret)) return;
    const renewed = { ...object(live?.admin), origins: [admin.secret, ...others] };
    const { error } = await admin.load(JSON.stringify({ ...live, admin: renewed }));
    if (error !== null) throw new AdminUnreachable(error);
    loaded = null;
  }

  /** @throws Failure, after an attempt to restore `previous` */
  async function makeLive(config: JsonObject, digest: string, previous: string): Promise<void> {
    const json = JSON.stringify(config);
    let answer: AdminAnswer;
    try {
      answer = await admin.load(json);
    } catch (cause) {
      throw await recovery.restore(previous, proxyUnreachable(cause));
    }
    if (answer.error !== null) {
      throw FAILED_START.test(answer.error)
        ? await recovery.restoreAfterStart(previous, config, answer.error)
        : await recovery.restore(previous, rejected(answer.error));
    }
    const live = await admin.liveDigest().catch(() => undefined);
    if (live !== digest) {
      const error = proxyUnreachable('the proxy accepted the configuration but does not show it');
      throw await recovery.restore(previous, error);
    }
    loaded = { digest, json };
  }

  /** @param trusted for the text on disk: it was checked when it was pushed, or the operator wrote it */
  async function publish(text: string, options: ReloadOptions, trusted = false): Promise<string> {
    const digest = digestOf(text);
    const { probe, hub, keep, replace } = options;
    try {
      // What a probe has beyond the end of the text is not part of the text.
      const beyond = probe !== undefined && countLines(probe) > countLines(text);
      if (!trusted) await restrictions.checkText(text);
      if (!trusted && beyond) await restrictions.checkText(probe);
      const preparing = [prepare(text, trusted), beyond ? prepare(probe, trusted) : null] as const;
      const [was, valid, written, adapted, tried, others] = await Promise.allSettled([
        replaced(options),
        validate(probe ?? text, preparing),
        proxyfile.writeCandidate(text),
        ...preparing,
        originsToKeep(),
      ]);
      const previous = settled(was);
      settled(valid);
      settled(written);
      settled(tried);
      const config = patchConfig(settled(adapted), {
        digest,
        hub: hub ?? proxyfile.owner(),
        admin: { listen: admin.address, origins: [admin.secret, ...settled(others)] },
        accessLog: deps.accessLog,
      });
      assertPortsFree(config, previous);
      await makeLive(config, digest, previous);
      try {
        const copy = proxyfile.swapIn(digest, { hub, keep });
        if (copy !== null) log('kept a copy of the Caddyfile', { copy }, 'warn');
        const isNamed = copy !== null && keep && !replace;
        if (!trusted) {
          const sentence = isNamed ? withdrawnSentence(previous, config) : null;
          deps.warnings.set('withdrawn', sentence);
        }
      } catch (error) {
        loaded = null;
        throw await recovery.restore(previous, error);
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
      await restrictions.checkText(text);
      const preparing = prepare(text);
      const [valid, adapted, was] = await Promise.allSettled([
        validate(text, [preparing]),
        preparing,
        replaced(),
      ]);
      settled(valid);
      const [config, previous] = [settled(adapted), settled(was)];
      if (ports) assertPortsFree(config, previous);
    } catch (error) {
      throw reachable(error);
    } finally {
      validator.standBy();
    }
  }

  return {
    reload: (text, options = {}) => enqueue(() => publish(text, options)),
    check,
    resume: () => enqueue(resume),
    renewSecret: () => enqueue(renewSecret),
    restartNeeded: recovery.restartNeeded,
  };
}

function settled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

const countLines = (text: string): number => text.split('\n').length;

const reachable = (error: unknown) =>
  error instanceof AdminUnreachable ? proxyUnreachable(error) : error;

/** @throws Failure PROXY_REJECTED if another program listens on a port that `config` adds */
function assertPortsFree(config: JsonObject, previous: string): void {
  const taken = findTaken(addedListeners(config, previous));
  if (taken === null) return;
  throw rejected(`listening on ${taken.host}:${taken.port}: address already in use`);
}
