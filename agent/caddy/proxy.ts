/** The agent's proxy: reload, validate, adapt and status, and the process itself if it is managed. */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../src/shared/async.ts';
import { hasHeredocs } from '../../src/shared/caddyfile/dialect.ts';
import { Failure } from '../../src/shared/failure.ts';
import type { Log } from '../../src/shared/log.ts';
import type { ProxyStatus } from '../../src/shared/wire.ts';
import { adaptApart } from './adapt.ts';
import { type Admin, createAdmin } from './admin.ts';
import { isForeign } from './foreign.ts';
import { secretName } from './identity.ts';
import { field, type JsonObject, list, object } from './json.ts';
import type { AccessLogStamp } from './patch.ts';
import { createProxyfile, digestOf } from './proxyfile.ts';
import { createReload, type Reload } from './reload.ts';
import { createRestrictions } from './restrictions.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import type { CaddyUser } from './user.ts';
import { createValidator } from './validate.ts';
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
  /** The user of a managed Caddy and of every command; null: that of the agent. */
  user?: CaddyUser | null;
  /** Files and folders of hub and agent, which Caddy has no business in. */
  ownPaths?: readonly string[];
  /** Absolute paths of the folders whose files a Caddyfile may import. */
  importDirs?: readonly string[];
  /** Milliseconds a validation may take. */
  deadline?: number;
};

export type ProxyControl = {
  /** The only client of the proxy's admin endpoint, so that its calls queue up. */
  readonly admin: Admin;
  readonly watch: Watch;
  reload: Reload['reload'];
  validate: Reload['check'];
  /** Adapts a Caddyfile to JSON. @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE */
  adapt(text: string): Promise<JsonObject>;
  /** @throws file system errors if the Caddyfile cannot be read */
  status(): Promise<ProxyStatus>;
  /** How often a managed proxy was started or adopted; empty if another program runs it. */
  starts(): Readonly<Record<string, number>>;
  /** @throws file system errors if a folder cannot be created or written to */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** 10,000 sites take about 1.3 s. */
const COMMAND_TIMEOUT_MS = 30_000;

/** @param tokens the agent's, the current one first: the admin endpoint's secret name derives from it */
export function createProxy(
  settings: ProxySettings,
  tokens: readonly [string, ...string[]],
  log: Log,
): ProxyControl {
  const [token, ...previous] = tokens;
  const admin = createAdmin({
    address: settings.admin,
    secrets: [secretName(token), ...previous.map(secretName)],
    ...(settings.managed ? {} : { foreign: originsOfFile }),
  });
  const watch = createWatch(admin);
  const commands = {
    bin: settings.bin,
    prefix: settings.user?.prefix ?? [],
    env: validationEnv(settings),
    deadline: settings.deadline ?? COMMAND_TIMEOUT_MS,
  };
  const validator = createValidator(commands);
  const proxyfile = createProxyfile(settings.proxyfile, () => new Date());
  const supervisor: Supervisor | null =
    settings.managed &&
    createSupervisor({
      bin: settings.bin,
      user: settings.user ?? null,
      folder: settings.managed.folder,
      env: settings.env,
      admin,
      log,
      onUp: () =>
        reload.resume().catch((error: unknown) => {
          log('last proxyfile not loaded', { reason: wordsOf(error) }, 'error');
        }),
    });
  const restrictions = createRestrictions({
    reading: async () => ({
      heredocs: hasHeredocs(await versionOf()),
      environment: settings.env,
    }),
    importDirs: settings.importDirs ?? [],
    paths: {
      dirs: settings.user
        ? [settings.managed?.folder ?? [], settings.proxyfile].flat()
        : (settings.ownPaths ?? []),
      strict: !settings.user,
    },
  });
  const reload = createReload({
    admin,
    validator,
    adaptApart: (text) => adaptApart(text, commands),
    proxyfile,
    accessLog: settings.accessLog,
    env: settings.env,
    restrictions,
    log,
    ...(supervisor ? { managed: supervisor } : {}),
  });
  let version: string | null = null;

  async function versionOf(): Promise<string | null> {
    version ??= await readVersion(settings);
    return version;
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

  return {
    admin,
    watch,
    reload: reload.reload,
    validate: reload.check,
    async adapt(text) {
      // First, because the answer would contain the files that the text imports.
      await restrictions.checkText(text);
      return adaptApart(text, commands);
    },

    async status() {
      const file = proxyfile.read();
      const live = await watch.liveDigest().then(
        (digest) => ({ running: true, digest }),
        () => ({ running: false, digest: null }),
      );
      const unknownFile = proxyfile.isForeign();
      return {
        liveDigest: live.digest,
        fileDigest: file === null ? null : digestOf(file),
        // Without our stamp but from our file, the proxy was only restarted.
        foreign:
          live.running && live.digest === null && (file === null || unknownFile)
            ? await admin.config().then(isForeign, () => false)
            : false,
        drift: live.digest !== null && unknownFile,
        proxy: { running: live.running, version: await versionOf() },
        restartNeeded: reload.restartNeeded(live.digest),
      };
    },

    starts: () => supervisor?.starts() ?? {},

    async start() {
      const folder = dirname(settings.proxyfile);
      mkdirSync(folder, { recursive: true });
      if (settings.managed) mkdirSync(dirname(settings.accessLog.file), { recursive: true });
      accessSync(folder, constants.W_OK);
      validator.standBy();
      await supervisor?.start();
      if (previous.length > 0) {
        await reload.renewSecret().catch((error: unknown) => {
          log('proxy still knows the previous token only', { reason: wordsOf(error) }, 'warn');
        });
      }
    },

    async stop() {
      validator.close();
      await supervisor?.stop();
    },
  };
}

/** Validation must not share the proxy's storage: it creates a CA if a site asks for one. */
function validationEnv(settings: ProxySettings): Record<string, string> {
  const home = settings.env.HOME ?? '/nonexistent';
  return {
    ...settings.env,
    XDG_DATA_HOME: join(home, 'validate'),
    XDG_CONFIG_HOME: join(home, 'validate'),
  };
}

/** As `2.6.2`, or null if the program is missing or hangs. */
async function readVersion(settings: ProxySettings): Promise<string | null> {
  try {
    const child = Bun.spawn([settings.bin, 'version'], {
      env: settings.env,
      stdin: 'ignore',
      stderr: 'ignore',
      timeout: 5_000,
    });
    return /\d+\.\d+\.\d+\S*/.exec(await new Response(child.stdout).text())?.[0] ?? null;
  } catch {
    return null;
  }
}

const wordsOf = (error: unknown): string =>
  error instanceof Failure && error.detail !== undefined
    ? `${error.message} ${error.detail}`
    : messageOf(error);
