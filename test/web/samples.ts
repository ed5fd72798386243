/** What the hub answers about a site, a proxy and itself when all is well. */
import type { Agent, Status, Vhost } from '../../src/web/lib/types.ts';

export const site = (change: Partial<Vhost> = {}): Vhost => ({
  id: 1,
  domain: 'app.example',
  addresses: [change.domain ?? 'app.example'],
  upstream: '127.0.0.1:8000',
  config: 'reverse_proxy {upstream}',
  enabled: true,
  policies: [],
  except: [],
  tags: [],
  agents: [],
  check: null,
  createdAt: '',
  updatedAt: '',
  ...change,
});

export const agent = (change: Partial<Agent> = {}): Agent => ({
  name: 'local',
  url: 'http://127.0.0.1:3002',
  fingerprint: null,
  paused: false,
  state: 'in-step',
  since: '2026-11-20T18:00:00.000Z',
  proxy: { running: true, version: '2.6.2' },
  foreign: false,
  latencyMs: 1,
  skewMs: 0,
  sites: 1,
  ...change,
});

export const status = (change: Partial<Status> = {}): Status => ({
  version: '0.1.0',
  commit: null,
  uptimeSeconds: 1,
  agent: { reachable: true, latencyMs: 1 },
  agents: [agent()],
  proxy: { running: true, version: '2.6.2' },
  serving: null,
  problems: [],
  checking: 0,
  advisories: [],
  advisoriesAsOf: '2026-11-22',
  upgrade: null,
  beforeUpgrade: [],
  inStep: true,
  foreign: false,
  drift: false,
  restartNeeded: false,
  lastPublish: null,
  warnings: [],
  broken: [],
  certificates: [],
  ...change,
});
