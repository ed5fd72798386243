/** The agent: its parts put together, listening. */
import { dirname } from 'node:path';
import { createAgent } from '../../../agent/app.ts';
import { errorLogOf } from '../../../agent/caddy/patch.ts';
import { createProxy } from '../../../agent/caddy/proxy.ts';
import { createLogs } from '../../../agent/logs/logs.ts';
import { collectLogs, collectProxy, createAgentMetrics } from '../../../agent/metrics.ts';
import { handshake } from '../../../agent/state/handshake.ts';
import { createProxyState } from '../../../agent/state/proxy-state.ts';
import { lockFolder } from '../../shared/lock.ts';
import type { Log } from '../../shared/log.ts';
import { withFields } from '../../shared/observe/log.ts';
import { collectProcess } from '../../shared/observe/process.ts';
import type { AgentSettings } from '../config.ts';
import { listen } from '../listen.ts';
import { VERSION } from '../version.ts';
import { type Indexing, type Prepared, prepareSocketFolder } from './part.ts';

/** @throws Error where the port is taken, or a managed proxy belongs to another agent */
export function prepareAgent(
  settings: AgentSettings,
  token: string,
  given: Log,
  indexing?: Indexing,
): Prepared {
  const log = withFields(given, { part: 'agent' });
  const { managed, admin, accessLog } = settings.proxy;
  // A second agent would adopt the first one's proxy, and end it when it stops.
  const release = managed ? lockFolder(dirname(managed.folder), 'agent') : () => {};
  try {
    const { previousToken } = settings;
    const tokens = [token, ...(previousToken === null ? [] : [previousToken])] as const;
    if (managed && admin.startsWith('unix/')) prepareSocketFolder(admin.slice('unix/'.length));
    const proxy = createProxy(settings.proxy, tokens, log);
    const { onIndexing, over } = indexing ?? {};
    const logs = createLogs({ file: accessLog.file, ...(onIndexing ? { onIndexing } : {}) });
    void logs.warm().then(over);
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
    const app = createAgent({ tokens, proxy, state, logs, tls, metrics, log });
    const listening = listen(app, settings.host, settings.port, settings.tls);
    let begun = false;
    return {
      url: listening.url,
      async begin() {
        begun = true;
        await proxy.start();
      },
      async stop() {
        await listening.stop(logs.endTails());
        // Before it has begun, a proxy that runs is none of its own.
        if (begun) await proxy.stop();
        await state.close();
        logs.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}
