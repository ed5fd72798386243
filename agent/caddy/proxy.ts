/** The agent's proxy: reload, validate, adapt and status, and the process itself if it is managed. */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../src/shared/async.ts';
import { hasHeredocs, KNOWN_READINGS } from '../../src/shared/caddyfile/dialect.ts';
import { FAILURES, Failure } from '../../src/shared/failure.ts';
import { ofFile } from '../../src/shared/file-errors.ts';
import type { Log } from '../../src/shared/log.ts';
import type { ProxyStatus } from '../../src/shared/wire.ts';
import type { PortState } from '../../src/shared/wire-ports.ts';
import { PACE, type Pace } from '../pace.ts';
import { createWarnings, type Warnings } from '../warnings.ts';
import { endLastLines, makeLogFolder } from './access-log/files.ts';
import { createLogWatch } from './access-log/watch.ts';
import { adaptApart } from './adapt.ts';
import { type Admin, createAdmin } from './admin.ts';
import { whyClosed } from './closed.ts';
import { isForeign } from './foreign.ts';
import { secretName } from './identity.ts';
import { field, type JsonObject, list, object } from './json.ts';
import { dnsProviders, modulesOf } from './modules.ts';
import type { AccessLogStamp } from './patch.ts';
import { type Listener, nameOf } from './ports.ts';
import { createProxyfile, digestOf } from './proxyfile.ts';
import { createReload, type Reload } from './reload.ts';
import { type Reopener, startReopener } from './reopener.ts';
import { createRestrictions } from './restrictions.ts';
import { parseStampId } from './stamp-id.ts';
import { createStandardPorts } from './standard-ports.ts';
import { createCaddyStorage } from './storage/storage.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import type { CaddyUser } from './user.ts';
import { createValidator, type ValidatorDeps } from './validate.ts';
import { assertSupported, createRunning } from './version.ts';
import { createWatch, type Watch } from './watch.ts';

export type ProxySettings = {
  bin: string;
  proxyfile: string;
  /** `localhost:2019` or `unix//…`. */
  admin: string;
  /** The folder for a managed Caddy's socket, storage and output; null if another program runs it. */
  managed: { folder: string } | null;
  /** The whole environment of a managed Caddy, and of validation. */
  env: Record<string, string>;
  accessLog: AccessLogStamp;
  /** The folder where Caddy keeps certificates, which several may share; null: its own. */
  storage?: string | null;
  /** The user of a managed Caddy and of every command; null: that of the agent. */
  user?: CaddyUser | null;
  /** Makes the folders of a managed Caddy, before each of its starts. @throws Error */
  prepare?: () => void;
  /** Files and folders of hub and agent, which Caddy has no business in. */
  ownPaths?: readonly string[];
  /** Absolute paths of the folders whose files a Caddyfile may import. */
  importDirs?: readonly string[];
  /** Milliseconds a validation may take. */
  deadline?: number;
  pace?: Pick<Pace, 'accessLog' | 'reopen' | 'storage' | 'supervise'>;
};

export type EnrolledHub = Readonly<{ hub: string; term: number }>;

export type ProxyControl = {
  /** The only client of the proxy's admin endpoint, so that its calls queue up. */
  readonly admin: Admin;
  readonly watch: Watch;
  /** How validations are run. */
  readonly commands: ValidatorDeps;
  reload: Reload['reload'];
  validate: Reload['check'];
  /** Adapts a Caddyfile to JSON. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adapt(text: string): Promise<JsonObject>;
  /** The same for one that is to run, with all that `reload` checks before Caddy validates it. @throws as `adapt` */
  adaptAllowed(text: string): Promise<JsonObject>;
  /** The DNS providers that the program was built with, such as `cloudflare`. */
  dnsProviders(): Promise<string[]>;
  /** The modules that the program was built with; null if it cannot be asked. */
  modules(): Promise<string[] | null>;
  /**
   * @param hub who asks; for another hub than the one whose sites are live, they are foreign
   * @param term of that hub; for an older copy than the agent knows, they are foreign too
   * @throws file system errors if the Caddyfile cannot be read
   */
  status(hub?: string, term?: number): Promise<ProxyStatus>;
  /**
   * Enrols a hub: from then on, the proxy obeys that one alone.
   * @param store runs first, while nothing is published
   * @throws Failure IMPORT_FIRST if the proxy serves sites that it did not publish, unless `replace`;
   * whatever `store` throws; file system errors
   */
  enrol(hub: EnrolledHub, store: () => void, replace?: boolean): Promise<void>;
  /** Who has ports 80 and 443. Never fails. */
  ports(): Promise<PortState[]>;
  /** How often a managed proxy was started or adopted; empty if another program runs it. */
  starts(): Readonly<Record<string, number>>;
  /** @throws Error if the program is not a supported Caddy; file system errors of its folders */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** 10,000 sites take about 1.3 s. */
const COMMAND_TIMEOUT_MS = 30_000;

/**
 * @param tokens the agent's, the current one first: the admin endpoint's secret name derives from it.
 * An agent that was enrolled has a secret of its own for that
 * @param warnings the agent's, for the status
 * @param enrolled the hub that it was enrolled by, for if a crash kept that from the Caddyfile's ledger
 * @throws file system errors
 */
export function createProxy(
  settings: ProxySettings,
  tokens: readonly [string, ...string[]],
  log: Log,
  warnings: Warnings = createWarnings(log),
  enrolled: EnrolledHub | null = null,
): ProxyControl {
  const [token, ...previous] = tokens;
  const { pace = PACE } = settings;
  const admin = createAdmin({
    address: settings.admin,
    secrets: [secretName(token), ...previous.map(secretName)],
    ...(settings.managed ? {} : { foreign: originsOfFile }),
  });
  const watch = createWatch(admin);
  const program = { bin: settings.bin, prefix: settings.user?.prefix ?? [], env: settings.env };
  const commands = {
    ...program,
    env: validationEnv(settings),
    deadline: settings.deadline ?? COMMAND_TIMEOUT_MS,
  };
  const validator = createValidator(commands);
  const proxyfile = createProxyfile(settings.proxyfile, () => new Date());
  if (enrolled && proxyfile.owner() !== enrolled.hub) proxyfile.enrol(enrolled.hub, enrolled.term);
  const storage = settings.managed
    ? createCaddyStorage({
        folder: join(settings.env.XDG_DATA_HOME ?? '', 'caddy'),
        warnings,
        pace: pace.storage,
        now: () => new Date(),
        log,
      })
    : null;
  const supervisor: Supervisor | null =
    settings.managed &&
    storage &&
    createSupervisor({
      bin: settings.bin,
      user: settings.user ?? null,
      folder: settings.managed.folder,
      env: settings.env,
      admin,
      pace: pace.supervise,
      log,
      prepare: settings.prepare ?? (() => {}),
      async beforeStart() {
        await storage.prepare();
        await endLastLines(settings.accessLog.file);
      },
      onUp: async (log) => {
        storage.keepSynced();
        await Promise.all([
          // Now, while the program on disk is surely the one that runs.
          versionOf(),
          reload.resume().catch((error: unknown) => {
            log('last proxyfile not loaded', { reason: wordsOf(error) }, 'error');
          }),
        ]);
      },
    });
  const running = createRunning(program, () =>
    supervisor ? Object.values(supervisor.starts()).join() : watch.process(),
  );
  const versionOf = async () => (await running()).version;
  /** With a newer signalbox, or a newer Caddy, what was checked before may be unsound. */
  async function programOf(): Promise<string | null> {
    const { mark } = await running();
    return mark && `${KNOWN_READINGS} ${mark}`;
  }
  const restrictions = createRestrictions({
    reading: async () => ({
      heredocs: hasHeredocs(await versionOf()),
      environment: settings.env,
    }),
    env: settings.env,
    importDirs: settings.importDirs ?? [],
    paths: {
      dirs: [
        settings.storage ?? [],
        settings.user
          ? [settings.managed?.folder ?? [], settings.proxyfile].flat()
          : (settings.ownPaths ?? []),
      ].flat(),
      strict: !settings.user,
    },
  });
  const reload = createReload({
    admin,
    validator,
    adaptApart: (text) => adaptApart(text, commands),
    proxyfile,
    program: programOf,
    accessLog: settings.accessLog,
    certificates: settings.storage ?? null,
    restrictions,
    repairAfter: async (error) => (await storage?.repairAfter(error)) ?? false,
    warnings,
    log,
    ...(supervisor ? { managed: supervisor } : {}),
  });
  const logWatch = createLogWatch({
    file: settings.accessLog.file,
    pid: () => supervisor?.pid() ?? null,
    async reopen() {
      makeFolder();
      return reload.reopenLogs();
    },
    every: pace.accessLog,
    now: () => new Date(),
    warnings,
    log,
  });
  let reopener: Reopener | undefined;

  function makeFolder(): void {
    if (settings.managed) makeLogFolder(settings.accessLog.file, settings.user ?? null);
  }

  /** The origins that a Caddyfile asks for that another program wrote; none if it cannot be read. */
  async function originsOfFile(): Promise<string[]> {
    try {
      const text = proxyfile.isForeign() ? proxyfile.read() : null;
      if (text === null || !/\b(origins|enforce_origin)\b/.test(text)) return [];
      const options = object(field(await adaptApart(text, commands), 'admin'));
      if (options.origins !== undefined) return list(options.origins).map(String);
      // The default is its own address, which is empty for a socket; 2.11 has none there.
      return options.enforce_origin ? [`http://${settings.admin.replace(/^unix\/.*/, '')}`] : [];
    } catch {
      return [];
    }
  }

  /** First, because the answer would contain the files that the text imports. */
  async function adapt(text: string): Promise<JsonObject> {
    await restrictions.checkText(text);
    return adaptApart(text, commands);
  }

  async function status(hub?: string, term = 1): Promise<ProxyStatus> {
    const file = proxyfile.read();
    const live = await watch.liveId().then(
      (id) => ({ running: true, stamp: parseStampId(id) }),
      () => ({ running: false, stamp: null }),
    );
    const digest = live.stamp?.digest ?? null;
    const fileDigest = file === null ? null : digestOf(file);
    const unknownFile = proxyfile.isForeign();
    const owner = proxyfile.owner(live.stamp?.hub);
    const asks = hub ?? owner;
    // Without our stamp but from our file, the proxy was only restarted.
    const isUnknown = digest === null && (file === null || unknownFile);
    const isOthers = hub !== undefined && (owner !== hub || term < proxyfile.term(hub));
    const closed = digest === null ? [] : reload.closed();
    const checkedFor = await programOf();
    return {
      liveDigest: digest,
      fileDigest,
      foreign:
        live.running && (isUnknown || isOthers)
          ? await admin.config().then(isForeign, () => false)
          : false,
      owner,
      ...(asks === null ? {} : { term: proxyfile.term(asks) }),
      drift: digest !== null && unknownFile,
      checked:
        fileDigest === null ||
        unknownFile ||
        checkedFor === null ||
        proxyfile.isCheckedFor(fileDigest, checkedFor),
      proxy: { running: live.running, version: await versionOf() },
      restartNeeded: reload.restartNeeded(digest),
      warnings: warnings.list(),
      ...(closed.length > 0 ? { closed: closed.map(describe) } : {}),
      // Last: the hub compares its clock with it as it arrives.
      ...(hub === undefined ? {} : { now: new Date().toISOString() }),
    };
  }

  return {
    admin,
    watch,
    commands,
    async reload(text, options) {
      const digest = await reload.reload(text, options);
      storage?.keepSynced();
      return digest;
    },
    validate: reload.check,
    adapt,
    async adaptAllowed(text) {
      const config = await adapt(text);
      restrictions.checkConfig(config, text);
      return config;
    },

    dnsProviders: () => dnsProviders(program),
    modules: () => modulesOf(program),

    status,

    enrol: ({ hub, term }, store, replace = false) =>
      reload.alone(async () => {
        if (!replace && (await status(hub, proxyfile.term(hub))).foreign) {
          throw new Failure('IMPORT_FIRST', FAILURES.IMPORT_FIRST.meaning);
        }
        store();
        proxyfile.enrol(hub, term);
      }),

    ports: createStandardPorts({ admin, watch, pid: () => supervisor?.pid() ?? null }),

    starts: () => supervisor?.starts() ?? {},

    async start() {
      await assertSupported(program);
      const folder = dirname(settings.proxyfile);
      try {
        mkdirSync(folder, { recursive: true });
        accessSync(folder, constants.W_OK);
      } catch (error) {
        throw ofFile(`the folder of PROXYFILE, ${folder}`, error);
      }
      makeFolder();
      validator.standBy();
      await supervisor?.start();
      logWatch.start();
      reopener = startReopener(reload, log, pace.reopen);
      if (previous.length > 0) {
        await reload.renewSecret().catch((error: unknown) => {
          log('proxy still knows the previous token only', { reason: wordsOf(error) }, 'warn');
        });
      }
    },

    async stop() {
      validator.close();
      logWatch.stop();
      await reopener?.stop();
      await supervisor?.stop();
      await storage?.stop();
    },
  };
}

/** Validation must not share the proxy's storage: it creates a CA if a site asks for one. */
function validationEnv(settings: ProxySettings): ValidatorDeps['env'] {
  const home = settings.env.HOME ?? '/nonexistent';
  return {
    ...settings.env,
    XDG_DATA_HOME: join(home, 'validate'),
    XDG_CONFIG_HOME: join(home, 'validate'),
  };
}

/** A closed listener, for the hub. */
const describe = (listener: Listener) => ({
  ...{ address: nameOf(listener), port: listener.port },
  reason: whyClosed(listener) ?? 'about to be opened',
});

const wordsOf = (error: unknown): string =>
  error instanceof Failure && error.detail !== undefined
    ? `${error.message} ${error.detail}`
    : messageOf(error);
