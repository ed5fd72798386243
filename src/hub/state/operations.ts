/** What the routes of state tell about themselves. */
import { about, INTEGER_ID } from '../http/about.ts';

export const status = about({
  id: 'getStatus',
  tag: 'Status',
  summary: 'Tells how hub, agent and proxy are, and whether they are in step',
  description: 'An agent or proxy that does not answer is part of the answer.',
  access: 'read',
  answer: {
    version: '0.1.0',
    commit: null,
    uptimeSeconds: 3600,
    agent: { reachable: true, latencyMs: 1.2 },
    proxy: { running: true, version: 'v2.6.2' },
    inStep: true,
    foreign: false,
    drift: false,
    restartNeeded: false,
    lastPublish: { at: '2026-11-20T18:00:00.000Z', milliseconds: 14.1, changes: 1 },
    warnings: [],
    broken: [],
    certificates: [],
  },
});

const STATE = {
  id: 1,
  domain: 'app.example.org',
  enabled: true,
  addresses: [
    {
      name: 'app.example.org',
      port: 443,
      served: true,
      tls: true,
      certificate: {
        issuer: "R11 (Let's Encrypt)",
        names: ['app.example.org'],
        notBefore: '2026-11-01T00:00:00.000Z',
        notAfter: '2027-01-30T00:00:00.000Z',
        fingerprint: 'AB:CD:EF:01',
        daysLeft: 70,
      },
      reason: null,
      checkedAt: '2026-11-20T18:00:00.000Z',
      automated: true,
    },
  ],
  upstreams: [{ address: '127.0.0.1:8000', up: true, requests: 0, fails: 0, error: null }],
  errors: { acme: null, upstream: null },
};

export const listVhostStates = about({
  id: 'listVhostStates',
  tag: 'Vhosts',
  summary: 'Tells what the proxy knows of all vhosts',
  description:
    'Certificates are those the proxy really shows, by a handshake of the agent, at most five minutes old.',
  access: 'read',
  answer: [STATE],
});

export const getVhostState = about({
  id: 'getVhostState',
  tag: 'Vhosts',
  summary: 'Tells what the proxy knows of a vhost',
  access: 'read',
  params: INTEGER_ID,
  answer: STATE,
});

export const listVhostActivity = about({
  id: 'listVhostActivity',
  tag: 'Vhosts',
  summary: 'Counts the requests and errors of the last hour, by vhost',
  description: 'In 12 stretches of time unless asked otherwise, oldest first.',
  access: 'read',
  params: { buckets: { description: 'Into how many stretches, 1 to 60.', example: '12' } },
  answer: {
    from: '2026-11-20T17:00:00.000Z',
    to: '2026-11-20T18:00:00.000Z',
    buckets: 2,
    vhosts: [{ id: 1, requests: [3, 1], status4xx: [0, 1], status5xx: [0, 0] }],
  },
});
