/** What the hub answers about a site and about itself when all is well. */
import type { Status, Vhost } from '../../src/web/lib/types.ts';

export const site = (change: Partial<Vhost> = {}): Vhost => ({
  id: 1,
  domain: 'app.example',
  upstream: '127.0.0.1:8000',
  config: 'reverse_proxy {upstream}',
  enabled: true,
  policies: [],
  tags: [],
  agents: [],
  createdAt: '',
  updatedAt: '',
  ...change,
});

export const status = (change: Partial<Status> = {}): Status => ({
  version: '0.1.0',
  commit: null,
  uptimeSeconds: 1,
  agent: { reachable: true, latencyMs: 1 },
  proxy: { running: true, version: '2.6.2' },
  serving: null,
  problems: [],
  agents: [],
  advisories: [],
  upgrade: null,
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
