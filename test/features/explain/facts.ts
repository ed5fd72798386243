/** What an agent finds at a site in order, to be changed for each test. */
import type { Facts } from '../../../src/features/explain/facts.ts';
import type { UpstreamFinding } from '../../../src/features/explain/wire.ts';

export const upstreamFinding = (change: Partial<UpstreamFinding> = {}): UpstreamFinding => ({
  address: '192.168.1.5:8096',
  signIn: false,
  wanted: 'http',
  spared: false,
  unknown: null,
  own: null,
  loopback: false,
  connects: 'open',
  instead: null,
  speaks: 'http',
  status: 200,
  banner: null,
  certificate: null,
  ...change,
});

export const askedOf = (
  change: Partial<NonNullable<Facts['asked']>> = {},
): NonNullable<Facts['asked']> => ({
  status: 200,
  location: null,
  ms: 12,
  by: '192.168.1.5:8096',
  bySignIn: false,
  landed: change.status ?? 200,
  leads: null,
  portal: null,
  from: null,
  fault: null,
  error: null,
  app: null,
  ...change,
});

/** Caddy's own answer about an upstream that fails. */
export const caddysError = (error: string): Facts['asked'] =>
  askedOf({ status: 502, by: null, error });

export const facts = (change: Partial<Facts> = {}): Facts => ({
  served: true,
  tls: true,
  container: false,
  alone: false,
  visited: false,
  byAddress: false,
  name: { state: 'own', addresses: ['192.168.1.2'] },
  listener: { state: 'open', reason: null },
  upstreams: [upstreamFinding()],
  asked: askedOf(),
  direct: null,
  websocket: null,
  host: 'app.mine.dev',
  port: 443,
  path: '/',
  policies: [],
  hasOthers: false,
  certificate: { state: 'valid', words: 'It is valid until 2027-02-18, signed by R11.' },
  time: Date.parse('2026-11-20T12:00:00Z'),
  ...change,
});
