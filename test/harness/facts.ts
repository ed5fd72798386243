/** What agents say of sites and what follows from it, made up: all is well but for what a test changes. */
import type { AgentFacts } from '../../src/hub/watch/agent-facts.ts';
import type { ProblemView } from '../../src/hub/watch/problem.ts';
import type { VhostState } from '../../src/hub/watch/sites/view.ts';
import type { ProxyStatus } from '../../src/shared/wire/proxy.ts';
import type { SiteState } from '../../src/shared/wire/sites.ts';

type Address = VhostState['addresses'][number];

export const MOMENT = '2026-11-20T18:00:00.000Z';
export const CERTIFICATE = {
  issuer: 'R11',
  names: ['app.example'],
  fingerprint: 'AB',
  daysLeft: 70,
  overdue: false,
  notBefore: '2026-11-01T00:00:00.000Z',
  notAfter: '2027-01-30T00:00:00.000Z',
};

/** A plain site, as its agent says. */
export const siteState = (change: Partial<SiteState> = {}): SiteState => ({
  name: 'a.example',
  ports: [80],
  tls: false,
  certificate: null,
  reason: null,
  checkedAt: null,
  automated: false,
  authority: null,
  dns: false,
  upstreams: [],
  errors: [],
  ...change,
});

/** An address with a certificate, as the hub shows it. */
export const addressState = (change: Partial<Address> = {}): Address => ({
  name: 'app.example',
  port: 443,
  served: true,
  tls: true,
  certificate: CERTIFICATE,
  reason: null,
  checkedAt: MOMENT,
  automated: true,
  authority: 'public',
  advice: null,
  ...change,
});

/** A site without addresses and upstreams, as the hub shows it. */
export const vhostState = (change: Partial<VhostState> = {}): VhostState => ({
  id: 1,
  domain: 'app.example',
  enabled: true,
  problem: null,
  addresses: [],
  upstreams: [],
  check: null,
  warnings: [],
  errors: { acme: null, upstream: null },
  ...change,
});

export const proxyStatus = (change: Partial<ProxyStatus> = {}): ProxyStatus => ({
  liveDigest: 'a',
  fileDigest: 'a',
  foreign: false,
  owner: null,
  drift: false,
  checked: true,
  restartNeeded: false,
  proxy: { running: true, version: '2.11.4' },
  warnings: [],
  closed: [],
  ...change,
});

/** What is known of an agent without sites. */
export const agentFacts = (change: Partial<AgentFacts> = {}): AgentFacts => ({
  id: 1,
  name: 'local',
  now: MOMENT,
  status: proxyStatus(),
  latencyMs: 1,
  agentFault: null,
  inStep: true,
  rejection: null,
  ownership: null,
  serving: null,
  unserved: [],
  certificates: [],
  warnings: [],
  failing: [],
  isUnasked: () => false,
  isCurrent: true,
  knowsEnding: true,
  placed: new Set(),
  sites: [],
  advisories: { count: 0, cure: '' },
  ...change,
});

/** A problem as one line: how grave, which, of what, and since when unless that is `MOMENT`. */
export function problemLine(problem: Omit<ProblemView, 'key'>): string {
  const { level, code, vhost, vhosts = vhost ? [vhost] : [], agents, since, message } = problem;
  const sites = vhosts.map(({ id, domain }) => `${domain} (${id})`).join(', ');
  const of = [sites && ` of ${sites}`, agents && ` on ${agents.join(', ')}`];
  const age = since === MOMENT ? '' : ` since ${since}`;
  return `${level} ${code}${of.filter(Boolean).join('')}${age}: ${message}`;
}
