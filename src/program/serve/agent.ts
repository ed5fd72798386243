/** Puts the agent together and makes it listen. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createAgent } from '../../../agent/app.ts';
import { socketOf } from '../../../agent/caddy/identity.ts';
import { errorLogOf } from '../../../agent/caddy/patch.ts';
import { createProxy } from '../../../agent/caddy/proxy.ts';
import { separateUser } from '../../../agent/caddy/user.ts';
import { createLogs } from '../../../agent/logs/logs.ts';
import { createKeeper } from '../../../agent/logs/storage/keeper.ts';
import { collectLogs, collectProxy, createAgentMetrics } from '../../../agent/metrics.ts';
import { handshake } from '../../../agent/state/handshake.ts';
import { createProxyState } from '../../../agent/state/proxy-state.ts';
import { isWritable, readIfThere } from '../../shared/files.ts';
import { lockFolder } from '../../shared/lock.ts';
import { type Log, withFields } from '../../shared/log.ts';
import { collectProcess } from '../../shared/observe/process.ts';
import type { AgentSettings } from '../config.ts';
import { listen } from '../listen.ts';
import { VERSION } from '../version.ts';
import { type Indexing, type PreparedAgent, prepareSocketFolder } from './running.ts';

/** @throws Error if the port is in use, or another agent manages the proxy of this data folder */
export function prepareAgent(
  settings: AgentSettings,
  token: string,
  given: Log,
  indexing?: Indexing,
): PreparedAgent {
  const log = withFields(given, { part: 'agent' });
  const { managed, admin, accessLog } = settings.proxy;
  // A second agent would adopt the first one's proxy, and stop it when it stops itself.
  const release = managed ? lockFolder(dirname(managed.folder), 'agent') : () => {};
  try {
    const { previousToken } = settings;
    const tokens = [token, ...(previousToken === null ? [] : [previousToken])] as const;
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
    const warnings = typeof separated === 'string' ? [separated] : [];
    for (const warning of warnings) log('warning', { warning }, 'warn');
    const user = typeof separated === 'string' ? null : separated;
    if (managed && socket !== null) prepareSocketFolder(socket, user?.uid);
    const logFolder = dirname(accessLog.file);
    // A managed proxy makes the folder if it is missing.
    const isKept = existsSync(logFolder) ? isWritable(logFolder) : managed !== null;
    const proxy = createProxy(
      { ...settings.proxy, user, accessLog: { ...accessLog, isKept } },
      tokens,
      log,
    );
    const { onIndexing, over } = indexing ?? {};
    const logs = createLogs({ file: accessLog.file, ...(onIndexing ? { onIndexing } : {}) });
    void logs.warm().then(over);
    const { file, ...limits } = accessLog;
    const keeper = createKeeper({ file, limits, log, onPacked: () => void logs.warm() });
    const metrics = createAgentMetrics(
      [
        collectProcess(VERSION, 'agent', () => new Date()),
        () => collectProxy(proxy),
        () => collectLogs(logs),
      ],
      log,
    );
    const tls = settings.tls !== null;
    const state = createProxyState({
      admin: proxy.admin,
      watch: proxy.watch,
      errorLog: errorLogOf(accessLog.file),
      handshake,
      newestRequest: logs.newest,
      now: () => new Date(),
    });
    const app = createAgent({
      ...{ tokens, proxy, state, logs, tls, metrics, log },
      warnings: keeper.warnings,
    });
    const listening = listen(app, settings.host, settings.port, settings.tls);
    let begun = false;
    return {
      url: listening.url,
      warnings,
      async begin() {
        begun = true;
        await proxy.start();
        if (isKept) keeper.begin();
      },
      async stop() {
        await listening.stop(logs.endStreams());
        // Before that, a proxy that is running is not this agent's.
        if (begun) await proxy.stop();
        await state.close();
        await keeper.close();
        logs.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}
