/** The agent's proxy: reload, validate, adapt and status, and the process itself if it is managed. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasHeredocs, hasStreamDelay } from '../../src/shared/caddyfile/dialect.ts';
import { FAILURES, Failure, wordsOf } from '../../src/shared/failure.ts';
import { ofFile } from '../../src/shared/file-errors.ts';
import type { JsonObject } from '../../src/shared/json.ts';
import type { Log } from '../../src/shared/log.ts';
import type { PortState } from '../../src/shared/wire/proxy.ts';
import { PACE, type Pace } from '../pace.ts';
import { createWarnings, type Warnings } from '../warnings.ts';
import { createLogWatch, makeLogFolder } from './access-log.ts';
import { type Admin, createAdmin } from './admin.ts';
import { adaptApart, type CommandDeps } from './config/adapt.ts';
import { mayHaveOrigins, originsIn } from './config/foreign.ts';
import { createLogFiles } from './config/log-files.ts';
import type { AccessLogStamp } from './config/patch.ts';
import { createRestrictions, withRules } from './config/restrictions.ts';
import { createStreamDelay } from './config/stream-delay.ts';
import { createValidator, validationEnv } from './config/validate.ts';
import { secretName } from './identity.ts';
import { createReopener } from './ports/closed.ts';
import { createKeptProgram, type KeptProgram } from './process/kept-program.ts';
import { type NextProgram, nextProgram } from './process/next-program.ts';
import { assertSupported, createRunning, dnsProviders, modulesOf } from './process/program.ts';
import { createSupervisor } from './process/supervisor.ts';
import type { CaddyUser } from './process/user.ts';
import { createKeptFile, keptFilesOf } from './reload/kept-file.ts';
import { createProxyfile, type Proxyfile } from './reload/proxyfile.ts';
import { createReload, type Reload } from './reload/reload.ts';
import { createStandardPorts } from './standard-ports.ts';
import { createStatus, type ReadStatus } from './status.ts';
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
  /** Those that no configuration may use, whoever Caddy’s user is; compared by their names. */
  barred?: readonly string[];
  /** Absolute paths of the folders whose files a Caddyfile may import. */
  importDirs?: readonly string[];
  /** Milliseconds a validation may take. */
  deadline?: number;
  pace?: Pick<Pace, 'accessLog' | 'reopen' | 'storage' | 'supervise'>;
};

export type EnrolledHub = Readonly<{ hub: string; term: number }>;

export type Replaceable = {
  kept: KeptProgram;
  reload: Pick<Reload, 'check' | 'configBy' | 'restart'>;
  proxyfile: Pick<Proxyfile, 'read'>;
  /** The pid of Caddy; null if none runs. */
  pid(): number | null;
  /** The folder where it keeps certificates. */
  storage: string;
  /** Milliseconds after which a program that has not ended is kept. */
  probation: number;
  /** What another program does with a text. @throws Failure NOT_FOUND if it cannot be asked */
  nextOf(bin: string): Promise<NextProgram>;
};

export type ProxyControl = {
  /** The only client of the proxy's admin endpoint, so that none runs beside a load. */
  readonly admin: Admin;
  readonly watch: Watch;
  /** How validations are run. */
  readonly commands: CommandDeps;
  reload: Reload['reload'];
  validate: Reload['check'];
  /** Adapts a Caddyfile to JSON. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adapt(text: string): Promise<JsonObject>;
  /** The same for one that is to run, with all that `reload` checks before Caddy validates it. @throws as `adapt` */
  adaptAllowed(text: string): Promise<JsonObject>;
  /** As `adapt`, of the Caddyfile that is live; empty if there is none. @throws as `adapt`, and file system errors */
  adaptLive(): Promise<JsonObject>;
  /** The DNS providers that the program was built with, such as `cloudflare`. */
  dnsProviders(): Promise<string[]>;
  /** The modules that the program was built with; null if it cannot be asked. */
  modules(): Promise<string[] | null>;
  /** What a change of its program works with; null if another program runs the proxy. */
  readonly replaceable: Replaceable | null;
  /**
   * @param hub who asks; for another hub than the one whose sites are live, they are foreign
   * @param term of that hub; for an older copy than the agent knows, they are foreign too
   * @throws file system errors if the Caddyfile cannot be read
   */
  status: ReadStatus;
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
  /** @param keeps leaves a managed Caddy for the next agent */
  stop(keeps?: boolean): Promise<void>;
};

/** 10,000 sites take about 1.3 s. */
const COMMAND_TIMEOUT_MS = 30_000;

/**
 * @param secret the agent's token, or the secret of its own that an enrolled agent has for this: the
 * admin endpoint's secret name derives from it
 * @param warnings the agent's, for the status
 * @param enrolled the hub that it was enrolled by, for if a crash kept that from the Caddyfile's ledger
 * @throws file system errors
 */
export function createProxy(
  settings: ProxySettings,
  secret: string,
  log: Log,
  warnings: Warnings = createWarnings(log),
  enrolled: EnrolledHub | null = null,
): ProxyControl {
  const { pace = PACE } = settings;
  const admin = createAdmin({
    address: settings.admin,
    secret: secretName(secret),
    ...(settings.managed ? {} : { foreign: originsOfFile }),
  });
  const watch = createWatch(admin);
  const now = () => new Date();
  const chosen = settings.managed && createKeptProgram(settings.managed.folder, settings.bin);
  const prefix = settings.user?.prefix ?? [];
  // Each time it is asked for: it may be another one by then.
  const program = {
    prefix,
    env: settings.env,
    get bin() {
      return chosen?.bin() ?? settings.bin;
    },
  };
  const commands = {
    prefix,
    env: validationEnv(settings.env),
    deadline: settings.deadline ?? COMMAND_TIMEOUT_MS,
    get bin() {
      return program.bin;
    },
  };
  const validator = createValidator(commands);
  const proxyfile = createProxyfile(settings.proxyfile, now);
  const kept = createKeptFile(settings.proxyfile, warnings);
  if (enrolled && proxyfile.owner() !== enrolled.hub) proxyfile.enrol(enrolled.hub, enrolled.term);
  const managed =
    settings.managed &&
    chosen &&
    createSupervisor({
      program: chosen,
      env: settings.env,
      folder: settings.managed.folder,
      admin,
      pace,
      warnings,
      log,
      user: settings.user ?? null,
      accessLog: settings.accessLog.file,
      prepare: settings.prepare ?? (() => {}),
      async onUp(log) {
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
    managed ? Object.values(managed.starts()).join() : watch.process(),
  );
  const versionOf = async () => (await running()).version;
  const programOf = async () => withRules((await running()).mark);
  const restrictionsFor = (version: () => Promise<string | null>) =>
    createRestrictions({
      reading: async () => ({
        heredocs: hasHeredocs(await version()),
        environment: settings.env,
      }),
      env: settings.env,
      importDirs: settings.importDirs ?? [],
      secrets: keptFilesOf(settings.proxyfile),
      paths: {
        dirs: [
          settings.storage ?? [],
          keptFilesOf(settings.proxyfile),
          settings.user
            ? [settings.managed?.folder ?? [], settings.proxyfile].flat()
            : (settings.ownPaths ?? []),
        ].flat(),
        barred: settings.barred ?? [],
        strict: !settings.user,
      },
    });
  const restrictions = restrictionsFor(versionOf);
  const streamDelay = createStreamDelay(() => performance.now());
  const reload = createReload({
    admin,
    validator,
    adaptApart: (text) => adaptApart(text, commands),
    proxyfile,
    kept,
    program: programOf,
    accessLog: settings.accessLog,
    certificates: settings.storage ?? null,
    streamDelay: async () => (hasStreamDelay(await versionOf()) ? streamDelay() : null),
    restrictions,
    keepFolders,
    unwritableLogs: createLogFiles(prefix),
    repairAfter: async (error) => (await managed?.repairAfter(error)) ?? false,
    warnings,
    log,
    ...(managed ? { managed } : {}),
  });
  const logWatch = createLogWatch({
    file: settings.accessLog.file,
    pid: () => managed?.pid() ?? null,
    async reopen() {
      makeFolder();
      return reload.reopenLogs();
    },
    every: pace.accessLog,
    now,
    warnings,
    log,
  });
  const reopener = createReopener(reload.reopen, log, pace.reopen);

  /** A running Caddy cannot make its data folder again in one that is not its own. */
  function keepFolders(): void {
    const folders = [settings.env, commands.env].flatMap((env) => env.XDG_DATA_HOME || []);
    if (!settings.managed || folders.every((folder) => existsSync(folder))) return;
    settings.prepare?.();
    for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  function makeFolder(): void {
    if (settings.managed) makeLogFolder(settings.accessLog.file, settings.user ?? null);
  }

  const status = createStatus({
    admin,
    watch,
    proxyfile,
    kept,
    reload,
    warnings,
    version: versionOf,
    program: programOf,
    environment: managed && Object.keys(settings.env),
  });

  /** The origins that a Caddyfile asks for that another program wrote; none if it cannot be read. */
  async function originsOfFile(): Promise<string[]> {
    try {
      const text = proxyfile.isForeign() ? proxyfile.read() : null;
      if (text === null || !mayHaveOrigins(text)) return [];
      return originsIn(await adaptApart(text, commands), settings.admin);
    } catch {
      return [];
    }
  }

  /** First, because the answer would contain the files that the text imports. */
  async function adapt(text: string): Promise<JsonObject> {
    await restrictions.checkText(text);
    return adaptApart(text, commands);
  }

  return {
    admin,
    watch,
    commands,
    async reload(text, options) {
      const reloaded = await reload.reload(text, options);
      managed?.keepSynced();
      return reloaded;
    },
    validate: reload.check,
    adapt,
    async adaptAllowed(text) {
      const config = await adapt(text);
      restrictions.checkConfig(config, text);
      return config;
    },

    async adaptLive() {
      const text = proxyfile.read();
      return text === null ? {} : adapt(text);
    },

    dnsProviders: () => dnsProviders(program),
    modules: () => modulesOf(program),
    replaceable:
      managed && chosen
        ? {
            kept: chosen,
            reload,
            proxyfile,
            pid: managed.pid,
            storage: settings.storage ?? join(settings.env.XDG_DATA_HOME ?? '', 'caddy'),
            probation: pace.supervise.probation,
            nextOf: (bin) => nextProgram({ ...commands, bin }, restrictionsFor),
          }
        : null,

    status,

    enrol: ({ hub, term }, store, replace = false) =>
      reload.alone(async () => {
        if (!replace && (await status(hub, proxyfile.term(hub))).foreign) {
          throw new Failure('IMPORT_FIRST', FAILURES.IMPORT_FIRST.meaning);
        }
        store();
        proxyfile.enrol(hub, term);
      }),

    ports: createStandardPorts({ admin, watch, pid: () => managed?.pid() ?? null }),

    starts: () => managed?.starts() ?? {},

    async start() {
      await chosen?.choose(false);
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
      await managed?.start();
      logWatch.begin();
      reopener.begin();
    },

    async stop(keeps = false) {
      validator.close();
      void logWatch.end();
      await reopener.end();
      await managed?.stop(keeps);
    },
  };
}
