/**
 * Makes a Caddyfile live, or changes nothing:
 * write beside ∥ validate ∥ adapt → try ports → patch → load → check the digest → swap the file in.
 */
import { createQueue } from '../../../src/shared/async.ts';
import { keptDigests, type NamedKept } from '../../../src/shared/caddyfile/kept-certificates.ts';
import { withoutBlock } from '../../../src/shared/caddyfile/structure.ts';
import { FAILURES, Failure, sentenceOf } from '../../../src/shared/failure.ts';
import type { Json, JsonObject } from '../../../src/shared/json.ts';
import { listed } from '../../../src/shared/one-line.ts';
import type { KeptCertificate, ReloadAnswer } from '../../../src/shared/wire/proxy.ts';
import type { Warnings } from '../../warnings.ts';
import { AdminUnreachable, proxyUnreachable } from '../admin.ts';
import { withdrawnSentence } from '../config/foreign.ts';
import { withKept } from '../config/kept.ts';
import { readOwnTls } from '../config/own-tls.ts';
import type { Stamp } from '../config/patch.ts';
import { stillOpen } from '../config/still-open.ts';
import { describeClosed, withoutListeners } from '../ports/closed.ts';
import type { NextProgram } from '../process/next-program.ts';
import { assertNone, type KeptFile } from './kept-file.ts';
import { createLoad, type Load } from './load.ts';
import { createLogReopener, type LogReopener } from './log-reopener.ts';
import { createChecked, createPreparation, type PrepareDeps, settled } from './prepare.ts';
import { digestOf, isOther, type Proxyfile, type SwapOptions } from './proxyfile.ts';
import { createRecovery, type Recovery, type RecoveryDeps } from './recovery.ts';

type ReloadDeps = Omit<RecoveryDeps, 'admin' | 'resume'> &
  Omit<PrepareDeps, 'served'> & {
    proxyfile: Proxyfile;
    kept: KeptFile;
    /** What tells the program that runs from any other; null if it cannot be asked now. */
    program: () => Promise<string | null>;
    accessLog: Stamp['accessLog'];
    /** The folder where Caddy keeps certificates; null: its own. */
    certificates: string | null;
    /** How long websockets outlive the next configuration; null: not at all. */
    streamDelay: () => Promise<string | null>;
    warnings: Pick<Warnings, 'set'>;
    /** The files of logs that the proxy cannot write. Never fails. */
    unwritableLogs: (config: Json) => Promise<string[]>;
    /** Makes the folders of a managed proxy that somebody removed. @throws file system errors */
    keepFolders: () => void;
    /** Repairs a managed proxy's storage. @returns whether it is worth loading again */
    repairAfter: (error: unknown) => Promise<boolean>;
  };

/** With `keep` but not `replace`, also warns of the sites that are withdrawn. */
type ReloadOptions = SwapOptions & {
  /** Whether it may replace what is for another hub. */
  replace?: boolean | undefined;
  /** Digest of the live configuration that this one replaces. */
  expects?: string | undefined;
  /** The same text with the lines that need no validation left empty; the load checks it all. */
  probe?: string | undefined;
  /** Whether the caller still waits for the answer; asked right before the load. */
  isWanted?: () => boolean;
  /** Whether to do without listeners that cannot be opened, until they can. */
  partial?: boolean | undefined;
  /** Those that the text names, as far as the agent may lack them. */
  certificates?: readonly KeptCertificate[] | undefined;
};

/** Another program for a restart. */
export type Other = {
  /** The text that it was tried with, and what tells the program from any other. */
  checked: { digest: string; mark: string } | null;
  /** Has that one run from the next start on, or again the one before. */
  use(isOther: boolean): void;
  /** Whether it serves, now that it has accepted the text. @throws Failure */
  assertServing(config: Json): Promise<void>;
};

type Reloaded = Required<Omit<ReloadAnswer, 'success'>>;

type CheckOptions = {
  /** Whether the ports that it adds must be free. */
  ports?: boolean | undefined;
  /** As for a reload: that of the same text with the same probe does not check it again. */
  probe?: string | undefined;
};

export type Reload = {
  /**
   * Makes `text` live and stores it in the file, or leaves both as they were. One at a time.
   * @returns the digest of `text`, which connections of sites outlive it, and which listeners it does without
   * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE, STALE, OTHER_HUB, STORAGE_UNAVAILABLE,
   * INVALID_REQUEST if certificates are missing or not usable; file system errors
   */
  reload(text: string, options?: ReloadOptions): Promise<Reloaded>;
  /**
   * Checks whether the proxy would accept `text`, without loading it.
   * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE
   */
  check(text: string, options?: CheckOptions): Promise<void>;
  /** What another program would run of a text, with the certificates of the hub. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  configBy(text: string, next: NextProgram): Promise<JsonObject>;
  /**
   * Restarts a managed proxy with what is on disk.
   * @param other a program that does so; if it fails, the one before is back
   * @throws Failure, as `resume`; STALE if another text is on disk than was tried
   */
  restart(other: Other | null): Promise<void>;
  /** Runs something while nothing is published or loaded. */
  alone<T>(run: () => Promise<T>): Promise<T>;
  /** Loads the file, as far as its listeners can be opened, unless it is live. @throws as `reload` */
  resume(): Promise<void>;
  /**
   * Opens listeners that the live configuration does without, if that is possible now.
   * @returns false if it had to try, and still does without as many
   * @throws as `reload`
   */
  reopen(): Promise<boolean>;
  /** The listeners that the live configuration does without. */
  closed: Load['closed'];
  reopenLogs: LogReopener['reopenLogs'];
  restartNeeded: Recovery['restartNeeded'];
};

/**
 * `resumed`: it is on disk, and was checked for this program, or the operator wrote it. `unchecked`: it is on
 * disk. `part`: of what is on disk, which stays there.
 */
type Source = 'pushed' | 'resumed' | 'unchecked' | 'part';

/** As many sites a start without the hub tries to do without; each takes a validation. */
const MOST_LEFT_OUT = 100;

export function createReload(deps: ReloadDeps): Reload {
  const { admin, validator, proxyfile, kept, log } = deps;
  const enqueue = createQueue();
  const recovery = createRecovery({ ...deps, resume });
  const { assertAllowed, prepare } = createPreparation({ ...deps, served: proxyfile.read });
  const loader = createLoad({ ...deps, recovery });
  const logs = createLogReopener(admin, deps.accessLog.file, loader.forget);
  const checked = createChecked();
  /** Whether `loader` knows what an earlier agent left out. */
  let isLookedAt = false;

  /** A proxy that another program starts keeps the origins that its operator gave it. */
  async function originsToKeep(): Promise<string[]> {
    return deps.managed ? [] : await admin.otherOrigins();
  }

  /**
   * The live configuration as JSON text.
   * @throws Failure STALE unless it is the expected one, OTHER_HUB if it is for another hub or a
   * newer copy of this one
   */
  async function replaced({ expects, hub, term, replace }: ReloadOptions = {}): Promise<string> {
    if (hub !== undefined && (term ?? 1) < proxyfile.term(hub)) {
      throw new Failure('OTHER_HUB', SUPERSEDED);
    }
    const live = await loader.live();
    if (expects !== undefined && expects !== live.digest) {
      throw stale('The live configuration has changed since; reload and try again.');
    }
    if (!replace && isOther(proxyfile.owner(live.hub), hub)) {
      throw new Failure('OTHER_HUB', FAILURES.OTHER_HUB.meaning);
    }
    return live.json;
  }

  async function resume(): Promise<void> {
    const text = proxyfile.read();
    if (text === null) return;
    const digest = digestOf(text);
    const live = await loader.live();
    if (live.digest === digest && !(live.lacking && kept.hasAll(text))) {
      if (live.lacking) kept.warnOf(kept.collect(text).missing);
      else kept.prune(text);
      return;
    }
    const program = await deps.program();
    const isChecked = program !== null && proxyfile.isCheckedFor(digest, program);
    if (proxyfile.isForeign() || isChecked) await publish(text, { partial: true }, 'resumed');
    else await resumeUnchecked(text);
  }

  /**
   * Another program may read the text on disk differently from the one that it was checked for: each block
   * that it refuses is left out, until the hub says what is to be live instead.
   */
  async function resumeUnchecked(text: string): Promise<void> {
    for (let rest = text, left = MOST_LEFT_OUT; ; left--) {
      try {
        await publish(rest, { partial: true }, rest === text ? 'unchecked' : 'part');
        return;
      } catch (error) {
        const less =
          left > 0 && error instanceof Failure ? withoutBlock(rest, error.at.line) : null;
        if (less === null) throw error;
        log('site not loaded', { reason: sentenceOf(error as Failure) }, 'error');
        rest = less;
      }
    }
  }

  async function reopen(): Promise<boolean> {
    if (!isLookedAt) await loader.live();
    isLookedAt = true;
    const text = proxyfile.read();
    if (text === null || !loader.canReopen()) return true;
    if ((await loader.live()).digest !== digestOf(text)) return true;
    const before = loader.closed().length;
    await publish(text, { partial: true }, 'resumed');
    return loader.closed().length < before;
  }

  /** What Caddy says of open requests, where a live configuration lets some outlive it. @throws AdminUnreachable */
  const requestsOf = async (live: string): Promise<string> =>
    live.includes('"stream_close_delay"') ? admin.upstreams() : '[]';

  /** Without those that are lost already: the text on disk names them, and Caddy does not have them. */
  async function newly(missing: readonly NamedKept[]): Promise<readonly NamedKept[]> {
    if (missing.length === 0) return missing;
    const [named, { json }] = [keptDigests(proxyfile.read() ?? ''), await loader.live()];
    return missing.filter(({ digest }) => !named.includes(digest) || json.includes(digest));
  }

  /** @param from where the text comes from */
  async function publish(text: string, options: ReloadOptions, from: Source): Promise<Reloaded> {
    const trusted = from === 'resumed';
    const digest = digestOf(text);
    const { probe, hub, term, keep, replace, partial = false, isWanted = () => true } = options;
    let undo = () => {};
    try {
      deps.keepFolders();
      const { found: certificates, missing } = kept.collect(text, options.certificates);
      // What is stored is served with other certificates rather than not at all; a change is refused.
      if (from === 'pushed' && !partial) assertNone(await newly(missing));
      const program = trusted ? null : await deps.program();
      const known = checked.take({ text, probe, program });
      if (!known && !trusted) await assertAllowed(text, probe);
      // First what takes longest.
      const ready = known ?? prepare(text, probe, trusted);
      const before = replaced(options);
      const isStored = from !== 'part';
      const candidate = isStored && proxyfile.writeCandidate(text);
      const [was, prepared, written, others, upstreams] = await Promise.allSettled([
        before,
        ready,
        candidate,
        originsToKeep(),
        before.then(requestsOf),
      ]);
      const previous = settled(was);
      const { config, own } = settled(prepared);
      settled(written);
      const stamp = {
        digest,
        lacking: missing.length > 0,
        ...(certificates.length > 0 && { kept: { certificates, own } }),
        hub: hub ?? proxyfile.owner(),
        admin: { listen: admin.address, origins: [admin.secret, ...settled(others)] },
        storage: deps.certificates,
        accessLog: { ...deps.accessLog, file: logs.spelling(previous) },
        streamDelay: await deps.streamDelay(),
      };
      // None if Caddy does not say.
      const open =
        upstreams.status === 'fulfilled' ? stillOpen(previous, config, upstreams.value) : [];
      if (!isWanted()) throw stale('Cancelled: the caller has gone.');
      // Before the text is on disk, and with what the one on disk names.
      undo = kept.add(certificates);
      const noted = isStored && proxyfile.announce(digest, { hub, term, program });
      const load = () => loader.load(config, stamp, previous, partial);
      const loaded = load().catch(async (error: unknown) => {
        if (!(await deps.repairAfter(error))) throw error;
        await load();
      });
      await loaded.finally(() => noted);
      kept.warnOf(missing);
      const closed = loader.closed().map(describeClosed);
      const unwritable = config.logging === undefined ? [] : await deps.unwritableLogs(config);
      deps.warnings.set('log files', unwritableSentence(unwritable));
      if (!isStored) return { digest, open, closed, unwritable };
      try {
        const copy = proxyfile.swapIn(digest, { hub, term, keep, program });
        if (copy !== null) log('kept a copy of the Caddyfile', { copy }, 'warn');
        const isNamed = copy !== null && keep && !replace;
        if (!trusted) {
          const sentence = isNamed ? withdrawnSentence(previous, config) : null;
          deps.warnings.set('withdrawn', sentence);
        }
        if (missing.length === 0) kept.prune(text);
      } catch (error) {
        loader.forget();
        throw await recovery.restore(previous, error);
      }
      return { digest, open, closed, unwritable };
    } catch (error) {
      proxyfile.dropCandidate();
      undo();
      throw reachable(error);
    } finally {
      validator.standBy();
    }
  }

  async function configBy(text: string, next: NextProgram): Promise<JsonObject> {
    const config = await next.adapt(text);
    const open = withoutListeners(config, loader.closed());
    const { found: certificates } = kept.collect(text);
    if (certificates.length === 0) return open;
    return withKept(open, { certificates, own: await readOwnTls(text, config, next.adapt) });
  }

  async function restart(other: Other | null): Promise<void> {
    const { checked } = other ?? {};
    if (checked && checked.digest !== digestOf(proxyfile.read() ?? '')) {
      throw stale('The sites have changed since they were tried; try again.');
    }
    if (checked) proxyfile.noteChecked(checked.digest, checked.mark);
    other?.use(true);
    try {
      await startAgain();
      await other?.assertServing(JSON.parse((await loader.live()).json) as Json);
    } catch (error) {
      other?.use(false);
      if (other) await startAgain();
      throw reachable(error);
    }
  }

  async function startAgain(): Promise<void> {
    await deps.managed?.restart();
    loader.forget();
    await resume();
  }

  async function check(text: string, { ports = true, probe }: CheckOptions = {}): Promise<void> {
    try {
      const program = await deps.program();
      await assertAllowed(text, probe);
      const [prepared, was] = await Promise.allSettled([prepare(text, probe), replaced()]);
      const [ready, previous] = [settled(prepared), settled(was)];
      if (ports) loader.assertOpenable(ready.config, previous);
      checked.keep({ text, probe, program }, ready);
    } catch (error) {
      validator.standBy();
      throw reachable(error);
    }
    // The reload that follows needs the processor more than the next validation.
    if (probe === undefined) validator.standBy();
  }

  return {
    reload: (text, options = {}) => enqueue(() => publish(text, options, 'pushed')),
    check,
    configBy,
    restart: (other) => enqueue(() => restart(other)),
    alone: enqueue,
    resume: () => enqueue(resume),
    reopen: () => enqueue(reopen),
    closed: loader.closed,
    reopenLogs: () => enqueue(logs.reopenLogs),
    restartNeeded: recovery.restartNeeded,
  };
}

function unwritableSentence(files: readonly string[]): string | null {
  if (files.length === 0) return null;
  return `Caddy’s user cannot write the log ${listed(files, 1)}: nothing is logged there.`;
}

/** Not even with `replace`: whoever wants the old copy back promotes that one. */
const SUPERSEDED =
  'A newer copy of this hub was promoted and publishes to this proxy: switch this one off.';

const reachable = (error: unknown) =>
  error instanceof AdminUnreachable ? proxyUnreachable(error) : error;

const stale = (message: string) => new Failure('STALE', message, { status: 409 });
