/** `/vhosts/state`: certificates, upstreams and the last errors of the vhosts, as the proxy has them. */
import { Elysia, t } from 'elysia';
import { SiteCertificate, SiteError, SiteUpstream } from '../../shared/wire-state.ts';
import type { AgentClient } from '../agent-client/client.ts';
import type { Guard } from '../auth/guard.ts';
import { IdParams, idOf } from '../http/params.ts';
import { ASKS_PROXY, refusals } from '../http/refusal-schemas.ts';
import { findVhost } from '../publish/changes.ts';
import type { Publisher } from '../publish/publisher.ts';
import { byDomain } from '../publish/vhost.ts';
import * as operations from './operations.ts';
import { createStates, namesOf } from './vhost-state.ts';

const LastError = t.Union([
  t.Composite([
    t.Object({ name: t.String({ description: 'the host name it came up at' }) }),
    t.Omit(SiteError, ['kind']),
  ]),
  t.Null(),
]);

export const VhostState = t.Object(
  {
    id: t.Integer(),
    domain: t.String(),
    enabled: t.Boolean(),
    addresses: t.Array(
      t.Object({
        name: t.String({ description: 'host name; empty for any' }),
        port: t.Integer(),
        served: t.Boolean({ description: 'the proxy has it in its live configuration' }),
        tls: t.Boolean(),
        certificate: t.Union([
          t.Composite([
            SiteCertificate,
            t.Object({
              daysLeft: t.Integer({ description: 'whole days; negative where it has expired' }),
            }),
          ]),
          t.Null(),
        ]),
        reason: t.Union([t.String(), t.Null()], { description: 'why there is no certificate' }),
        checkedAt: t.Union([t.String(), t.Null()], {
          description: 'when the proxy was last asked for it; null: not yet, or never',
        }),
        automated: t.Boolean({
          description: 'the proxy gets and renews the certificate by itself',
        }),
      }),
      { description: 'where it is reached, in the order of its block' },
    ),
    upstreams: t.Array(SiteUpstream),
    errors: t.Object(
      { acme: LastError, upstream: LastError },
      { description: 'the last one of each kind' },
    ),
  },
  { title: 'VhostState' },
);

export type VhostStateDeps = {
  publisher: Publisher;
  agent: AgentClient;
  guard: Guard;
  now: () => Date;
};

export function vhostStateRoutes({ publisher, agent, guard, now }: VhostStateDeps) {
  return new Elysia({ name: 'vhost-state', prefix: '/vhosts' })
    .use(guard)
    .get(
      '/state',
      async () => {
        const { sites } = await agent.sites();
        const set = publisher.current();
        return set.vhosts.toSorted(byDomain).map(createStates(set, sites, now()));
      },
      {
        response: { 200: t.Array(VhostState), ...refusals(...ASKS_PROXY) },
        detail: operations.listVhostStates,
      },
    )
    .get(
      '/:id/state',
      async ({ params }) => {
        const id = idOf(params);
        const before = publisher.current();
        const { sites } = await agent.sites(namesOf(findVhost(before, id), before));
        const set = publisher.current();
        return createStates(set, sites, now())(findVhost(set, id));
      },
      {
        params: IdParams,
        response: { 200: VhostState, ...refusals(...ASKS_PROXY, 'NOT_FOUND') },
        detail: operations.getVhostState,
      },
    );
}
