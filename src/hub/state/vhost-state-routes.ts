/** `/vhosts/state`: certificates, upstreams and last errors of the vhosts, as the proxy reports them. */
import { Elysia, t } from 'elysia';
import type { AgentClient } from '../agent-client/client.ts';
import type { Guard } from '../auth/guard.ts';
import { about, INTEGER_ID } from '../http/about.ts';
import { IdParams, idOf } from '../http/params.ts';
import { ASKS_PROXY, refusals } from '../http/refusal-schemas.ts';
import { findVhost } from '../publish/changes.ts';
import type { Publisher } from '../publish/publisher.ts';
import { byDomain } from '../publish/vhost.ts';
import { findUnserved } from './unserved.ts';
import { namesOf, statesOf, VhostState } from './vhost-state.ts';

const STATE = {
  id: 1,
  domain: 'app.example.org',
  enabled: true,
  problem: null,
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
      authority: 'public',
      advice: null,
    },
  ],
  upstreams: [
    {
      address: '127.0.0.1:8000',
      up: true,
      since: '2026-11-20T12:00:00.000Z',
      lastChecked: '2026-11-20T18:00:00.000Z',
      latencyMs: 0.4,
      unknown: null,
      requests: 0,
      fails: 0,
      error: null,
    },
  ],
  warnings: [],
  errors: { acme: null, upstream: null },
};

export type VhostStateDeps = {
  publisher: Publisher;
  agent: AgentClient;
  guard: Guard;
  now: () => Date;
};

export function vhostStateRoutes({ publisher, agent, guard, now }: VhostStateDeps) {
  const statusOf = () => agent.status().catch(() => null);
  return new Elysia({ name: 'vhost-state', prefix: '/vhosts' })
    .use(guard)
    .get(
      '/state',
      async () => {
        const [{ sites }, status] = await Promise.all([agent.sites(), statusOf()]);
        const unserved = await findUnserved({ agent, publisher }, status, sites);
        const set = publisher.current();
        return set.vhosts.toSorted(byDomain).map(statesOf(set, sites, unserved, now()));
      },
      {
        response: { 200: t.Array(VhostState), ...refusals(...ASKS_PROXY) },
        detail: about({
          id: 'listVhostStates',
          tag: 'Vhosts',
          summary: 'List the state of all vhosts',
          description:
            'Certificates are those that the proxy presents in a TLS handshake with the agent, at most five minutes ago.',
          access: 'read',
          example: [STATE],
        }),
      },
    )
    .get(
      '/:id/state',
      async ({ params }) => {
        const id = idOf(params);
        const before = publisher.current();
        const names = namesOf(findVhost(before, id), before);
        const [{ sites }, status] = await Promise.all([agent.sites(names), statusOf()]);
        const unserved = await findUnserved({ agent, publisher }, status);
        const set = publisher.current();
        return statesOf(set, sites, unserved, now())(findVhost(set, id));
      },
      {
        params: IdParams,
        response: { 200: VhostState, ...refusals(...ASKS_PROXY, 'NOT_FOUND') },
        detail: about({
          id: 'getVhostState',
          tag: 'Vhosts',
          summary: 'Get the state of a vhost',
          access: 'read',
          params: INTEGER_ID,
          example: STATE,
        }),
      },
    );
}
