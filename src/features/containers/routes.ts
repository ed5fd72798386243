/** `/containers`: the containers beside each proxy, and why each is a site or not. */
import { Elysia, type Static, t } from 'elysia';
import type { ApiCore } from '../../hub/core.ts';
import { AgentQuery } from '../../hub/http/params.ts';
import { route } from '../../hub/http/route.ts';
import { agentNamed } from '../../hub/model/applied.ts';
import { integer } from '../../shared/integer.ts';
import type { ContainerSites } from './sites.ts';
import { Container } from './wire.ts';

const { name, image, state, addresses, ports, host, unreached } = Container.properties;

const ContainerView = t.Object(
  {
    agent: t.String({ description: 'beside whose proxy it is' }),
    name,
    image,
    state,
    addresses,
    ports,
    host,
    unreached,
    labels: t.Record(t.String(), t.String()),
    site: t.Union([t.Object({ id: integer() }), t.Null()], {
      description: 'the vhost that its labels ask for, the first of several; null: there is none',
    }),
    reason: t.Union([t.String(), t.Null()], {
      description: 'why there is none, or why it is not as the labels say; null: it is',
    }),
  },
  { title: 'Container' },
);
export type ContainerView = Static<typeof ContainerView>;

type Deps = Pick<ApiCore, 'publisher' | 'guard'> & {
  containers: Pick<ContainerSites, 'list'>;
};

export function containerRoutes({ containers, publisher, guard }: Deps) {
  return new Elysia({ name: 'containers' }).use(guard).get(
    '/containers',
    ({ query: { agent } }) => {
      if (agent) agentNamed(agent, publisher.current());
      return containers.list(agent || undefined);
    },
    route({
      id: 'listContainers',
      tag: 'Vhosts',
      summary: 'List the containers beside the proxies',
      description:
        'Of every agent with a `DOCKER_SOCKET`, as it said last; empty if there is none. Labels may hold secrets.',
      access: 'read',
      needs: 'editor',
      query: AgentQuery,
      returns: t.Array(ContainerView),
      example: [
        {
          agent: 'local',
          name: 'photos',
          image: 'docker.io/library/photos:2',
          state: 'running',
          addresses: ['172.18.0.5'],
          ports: [{ port: 2342, address: '127.0.0.1:2342', published: true }],
          host: null,
          unreached: null,
          labels: { 'signalbox.domain': 'photos.example.org' },
          site: { id: 7 },
          reason: null,
        },
      ],
    }),
  );
}
