/** The agent's one view of its proxy: reload, status, and the life of a managed one. */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasHeredocs } from '../../src/shared/caddyfile/dialect.ts';
import type { Log } from '../../src/shared/observe/log.ts';
import type { ProxyStatus } from '../../src/shared/wire.ts';
import { adaptApart } from './adapt.ts';
import { createAdmin } from './admin.ts';
import { isForeign } from './foreign.ts';
import { createJudge } from './judge.ts';
import { createProxyfile, digestOf } from './proxyfile.ts';
import { createReload } from './reload.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import { createValidator } from './validate.ts';
import { createWatch } from './watch.ts';

export type ProxySettings = {
  bin: string;
  proxyfile: string;
  /** `localhost:2019` or `unix//…`. */
  admin: string;
  /** Where a managed Caddy keeps its socket, storage and output; null where another program runs it. */
  managed: { folder: string } | null;
  /** The whole environment of Caddy (where managed) and of validation. */
  env: Record<string, string>;
  accessLog: { file: string; rollMb: number; keep: number };
  /** Absolute folders whose files a proxyfile may import. */
  importDirs?: readonly string[];
  /** Milliseconds a validation may take. */
  deadline?: number;
};

/** The agent's deadline towards Caddy; 10,000 sites take about 1.3 s. */
const COMMAND_DEADLINE_MS = 30_000;

export type ProxyControl = ReturnType<typeof createProxy>;

export function createProxy(settings: ProxySettings, log: Log) {
  const admin = createAdmin(settings.admin);
  const watch = createWatch(admin);
  const commands = {
    bin: settings.bin,
    env: validationEnv(settings),
    deadline: settings.deadline ?? COMMAND_DEADLINE_MS,
  };
  const validator = createValidator(commands);
  const proxyfile = createProxyfile(settings.proxyfile, () => new Date());
  const supervisor: Supervisor | null =
    settings.managed &&
    createSupervisor({
      bin: settings.bin,
      folder: settings.managed.folder,
      env: settings.env,
      admin,
      log,
      onUp: () =>
        reload.resume().catch((error: unknown) => {
          log('last proxyfile not loaded', { reason: reasonOf(error) }, 'error');
        }),
    });
  const judge = createJudge({
    admin: settings.admin,
    reading: async () => ({
      heredocs: hasHeredocs(await versionOf()),
      environment: settings.env,
    }),
    importDirs: settings.importDirs ?? [],
  });
  const reload = createReload({
    admin,
    validator,
    adaptApart: (text) => adaptApart(text, commands),
    proxyfile,
    accessLog: settings.accessLog,
    judge,
    log,
    ...(supervisor ? { managed: supervisor } : {}),
  });
  let version: string | null = null;

  async function versionOf(): Promise<string | null> {
    version ??= await readVersion(settings);
    return version;
  }

  return {
    /** The one queue of calls to the proxy's admin endpoint. */
    admin,
    watch,
    reload: reload.reload,
    validate: reload.check,
    /**
     * What a text means to the proxy, as JSON. Judged first: what a file holds would stand in it.
     * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE
     */
    async adapt(text: string) {
      await judge.text(text);
      return adaptApart(text, commands);
    },

    async status(): Promise<ProxyStatus> {
      const file = proxyfile.read();
      const live = await watch.liveDigest().then(
        (digest) => ({ running: true, digest }),
        () => ({ running: false, digest: null }),
      );
      if (live.digest === null) reload.sawRestart();
      const unknownFile = proxyfile.isForeign();
      return {
        liveDigest: live.digest,
        fileDigest: file === null ? null : digestOf(file),
        // Without our stamp, but from our file: somebody started the proxy anew.
        foreign:
          live.running && live.digest === null && (file === null || unknownFile)
            ? await admin.config().then(isForeign, () => false)
            : false,
        drift: live.digest !== null && unknownFile,
        proxy: { running: live.running, version: await versionOf() },
        restartNeeded: reload.restartNeeded(),
      };
    },

    /** How often one of its own has come up; nothing where another program runs the proxy. */
    starts: (): Readonly<Record<string, number>> => supervisor?.starts() ?? {},

    /** @throws file system errors where a folder cannot be made */
    async start(): Promise<void> {
      const folder = dirname(settings.proxyfile);
      mkdirSync(folder, { recursive: true });
      if (settings.managed) mkdirSync(dirname(settings.accessLog.file), { recursive: true });
      accessSync(folder, constants.W_OK);
      validator.standBy();
      await supervisor?.start();
    },

    async stop(): Promise<void> {
      validator.close();
      await supervisor?.stop();
    },
  };
}

/** Validation must not share the proxy's storage: it makes a CA of its own where a site asks for one. */
function validationEnv(settings: ProxySettings): Record<string, string> {
  const home = settings.env.HOME ?? '/nonexistent';
  return {
    ...settings.env,
    XDG_DATA_HOME: join(home, 'validate'),
    XDG_CONFIG_HOME: join(home, 'validate'),
  };
}

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

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'detail' in error && typeof error.detail === 'string'
    ? `${error.message} ${error.detail}`
    : error.message;
}
