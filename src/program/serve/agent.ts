/** Puts the agent together and makes it listen. Imports nothing that only a hub needs. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { AGENT_BODY_LIMIT, createAgent } from '../../../agent/app.ts';
import { errorLogOf } from '../../../agent/caddy/config/patch.ts';
import { socketOf } from '../../../agent/caddy/identity.ts';
import { listeningInodes } from '../../../agent/caddy/ports/sockets.ts';
import { createTrialCaddies } from '../../../agent/caddy/process/trial-caddy.ts';
import { separateUser } from '../../../agent/caddy/process/user.ts';
import { createProxy } from '../../../agent/caddy/proxy.ts';
import type { AgentCore, AgentHalf } from '../../../agent/core.ts';
import { createLogs, damageSentence } from '../../../agent/logs/logs.ts';
import { createCheckWords } from '../../../agent/logs/storage/check-words.ts';
import { createKeeper } from '../../../agent/logs/storage/keeper.ts';
import type { Pace } from '../../../agent/pace.ts';
import { createAuthorities } from '../../../agent/sites/authorities.ts';
import { createChecks } from '../../../agent/sites/checks/checks.ts';
import { createRounds } from '../../../agent/sites/checks/rounds.ts';
import { createTryOut } from '../../../agent/sites/checks/trial.ts';
import { isOwnAddress } from '../../../agent/sites/handshake.ts';
import { createProxyState } from '../../../agent/sites/proxy-state.ts';
import { createDialUpstream } from '../../../agent/sites/upstreams/dial.ts';
import { createProber } from '../../../agent/sites/upstreams/prober.ts';
import { createResolver } from '../../../agent/sites/upstreams/resolver.ts';
import { createWarnings } from '../../../agent/warnings.ts';
import { runAll, settleAll } from '../../shared/async.ts';
import { type Log, withFields } from '../../shared/log.ts';
import { createPaced } from '../../shared/paced.ts';
import { createDisks } from '../../shared/system/disks.ts';
import { isOpen, isWritable, readIfThere } from '../../shared/system/files.ts';
import { lockFolder } from '../../shared/system/lock.ts';
import type { AgentSettings } from '../agent-settings.ts';
import { agentTokenIn } from '../data-folder.ts';
import { listen, type Running } from '../listen.ts';
import { VERSION } from '../version.ts';
import { createAgentAccess } from './agent-access.ts';
import {
  allLoaded,
  beginOrStop,
  type Indexing,
  PACES,
  type Prepared,
  prepareSocketFolder,
} from './running.ts';

export type RunningAgent = Running & {
  /** The secret of its invitation; null if it does not invite a hub. */
  secret: string | null;
};

const OPEN_TOKEN =
  'Other users of this machine can read agent-token in DATA_DIR, and control Caddy with it. Stop signalbox, delete the file, and start it again: it makes a new one that only its own user can read.';

/**
 * @param token null for an agent that is or will be enrolled
 * @param halves of features
 * @throws Error if the port is in use, or another agent manages the proxy of this data folder
 */
export function prepareAgent(
  settings: AgentSettings,
  token: string | null,
  given: Log,
  halves: readonly AgentHalf[],
  pace: Pace,
  indexing?: Indexing,
): RunningAgent & Prepared {
  const log = withFields(given, { part: 'agent' });
  const now = () => new Date();
  const { managed, admin, accessLog } = settings.proxy;
  const { enrolment, plans, dataDir } = settings;
  // A second agent would adopt the first one's proxy, and stop it when it stops itself; it would also
  // ship every entry once more, or store another enrolment.
  const keepsInDataDir =
    managed !== null || enrolment !== null || plans.some((plan) => plan.keepsInDataDir);
  const release = keepsInDataDir ? lockFolder(dataDir, 'agent') : () => {};
  try {
    const access = createAgentAccess(settings, token, log);
    const socket = socketOf(admin);
    const separated =
      managed && process.getuid?.() === 0
        ? separateUser({
            bin: settings.proxy.bin,
            folder: managed.folder,
            socket,
            accessLog: accessLog.file,
            env: settings.proxy.env,
            passwd: readIfThere('/etc/passwd') ?? '',
          })
        : null;
    const warnings = createWarnings(log);
    if (typeof separated === 'string') warnings.set('user', separated);
    if (keepsInDataDir && isOpen(agentTokenIn(dataDir))) {
      warnings.set('token', OPEN_TOKEN);
    }
    const user = typeof separated === 'string' ? null : separated;
    const prepare = () => {
      user?.giveFolders();
      if (managed && socket !== null) prepareSocketFolder(socket, user?.uid);
    };
    const logFolder = dirname(accessLog.file);
    // A managed proxy makes the folder if it is missing.
    const isKept = existsSync(logFolder) ? isWritable(logFolder) : managed !== null;
    const proxy = createProxy(
      { ...settings.proxy, user, prepare, accessLog: { ...accessLog, isKept }, pace },
      access.secret,
      log,
      warnings,
      access.enrolled,
    );
    const { onIndexing, over } = indexing ?? {};
    const checkWords = createCheckWords(accessLog.file, isOwnAddress);
    const logs = createLogs({
      file: accessLog.file,
      checkWords,
      ...(onIndexing ? { onIndexing } : {}),
      onDamaged: (names) => warnings.set('damaged logs', damageSentence(names)),
      onUnreadable: (sentence) => warnings.set('unreadable log', sentence),
    });
    void logs.warm().then(over);
    const { file, ...limits } = accessLog;
    const keeper = createKeeper({
      file,
      limits,
      pace: pace.keeper,
      log,
      onPacked: () => void logs.warm(),
      onWarnings: (found) => warnings.set('rotated logs', found.join(' ') || null),
    });
    const elapsed = () => performance.now();
    const resolver = createResolver(elapsed, pace.names);
    const dial = createDialUpstream(resolver, user !== null);
    const prober = settings.upstreamProbe ? createProber(dial, pace.probe, now, elapsed) : null;
    const tls = settings.tls !== null;
    const state = createProxyState({
      admin: proxy.admin,
      watch: proxy.watch,
      errorLog: errorLogOf(accessLog.file),
      isCheck: checkWords.isCheck,
      newestRequest: logs.newest,
      prober,
      isOpenHere: (port) => listeningInodes(port).length > 0,
      pace,
      now,
    });
    const trials = createTrialCaddies(proxy.commands, user);
    const core: AgentCore = {
      version: VERSION,
      proxy,
      user,
      trials,
      logs,
      prober,
      accessLog: file,
      live: state.live,
      look: state.look,
      now,
      log,
      userAgent: checkWords.userAgent,
      beforeReload: new Set(),
      bodyLimit: AGENT_BODY_LIMIT,
      paced: createPaced(pace.share),
      warn: warnings.set,
    };
    const parts = halves.map((half) => half(core));
    const authorities = createAuthorities(proxy.admin, proxy);
    const disks = createDisks(placesOf(settings.proxy));
    const app = createAgent({
      isKnown: access.isKnown,
      enrolment: access.enrolment,
      proxy,
      state,
      authorities,
      disks,
      logs,
      beforeReload: core.beforeReload,
      parts,
      tls,
      log,
      checks: createChecks(state.live, checkWords.userAgent),
      tryOut: createTryOut({
        trials,
        adapt: proxy.adaptAllowed,
        isManaged: managed !== null,
        userAgent: checkWords.userAgent,
      }),
      rounds: createRounds({ now: state.live, last: state.lastLive }, checkWords.userAgent),
    });
    const listening = listen(
      app,
      { of: 'AGENT', host: settings.host, port: settings.port },
      settings.tls,
    );
    let begun = false;
    return {
      url: listening.url,
      secret: access.enrolment?.invitation?.secret ?? null,
      async begin() {
        begun = true;
        await trials.begin();
        const others = parts.map(({ begin }) => begin?.());
        await Promise.all([proxy.start(), ...others]);
        state.begin();
        if (isKept) keeper.begin();
      },
      stop: (keepsProxy = () => false) =>
        runAll(
          () => settleAll(parts.map(({ end }) => end?.())),
          trials.end,
          () => listening.stop(logs.endStreams()),
          // Before that, a proxy that is running is not this agent's.
          () => begun && proxy.stop(keepsProxy()),
          state.end,
          keeper.end,
          logs.close,
          release,
        ),
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** What agent and proxy write; another program's proxy keeps its certificates where only that knows. */
const placesOf = ({ accessLog, proxyfile, managed, storage, env }: AgentSettings['proxy']) => [
  { what: 'the access log', folder: dirname(accessLog.file) },
  { what: 'the Caddyfile', folder: dirname(proxyfile) },
  ...(managed
    ? [{ what: 'Caddy’s certificates', folder: storage ?? env.XDG_DATA_HOME ?? managed.folder }]
    : []),
];

/**
 * @param token null for an agent that is or will be enrolled
 * @throws Error if the data folder or the port is in use, or a folder cannot be written
 */
export async function serveAgent(
  settings: AgentSettings,
  token: string | null,
  log: Log,
  indexing?: Indexing,
  pace = PACES.agent,
): Promise<RunningAgent> {
  const halves = await allLoaded(settings.plans);
  const agent = prepareAgent(settings, token, log, halves, pace, indexing);
  await beginOrStop(agent);
  return agent;
}
