/** What an agent says of the containers beside its proxy. */
import { type Static, t } from 'elysia';
import { integer } from '../../shared/integer.ts';
import type { Call } from '../../shared/wire/call.ts';

/** A port of a container, and where the proxy reaches it. */
const ContainerPort = t.Object({
  port: integer({ description: 'inside the container; TCP only' }),
  address: t.Union([t.String(), t.Null()], {
    description: 'by which the proxy reaches it, such as `127.0.0.1:8080`; null: it does not',
  }),
  published: t.Boolean({ description: 'whether a port of the host leads to it' }),
});

export const Container = t.Object(
  {
    id: t.String(),
    name: t.String(),
    image: t.String(),
    state: t.String({ description: 'as the engine has it, such as `running` or `exited`' }),
    /** ISO 8601; null if it does not run. */
    startedAt: t.Union([t.String(), t.Null()]),
    addresses: t.Array(t.String(), { description: 'its IP addresses' }),
    ports: t.Array(ContainerPort),
    host: t.Union([t.String(), t.Null()], {
      description:
        'by which the proxy reaches any of its ports, also those it does not list, as in a URL; null: it does not',
    }),
    unreached: t.Union([t.String(), t.Null()], {
      description:
        'why the proxy reaches none of its ports, and what to do; null if it reaches one, or any',
    }),
    labels: t.Union([t.Record(t.String(), t.String()), t.Null()], {
      description: 'null: they have more than 64 KiB, and are not known',
    }),
  },
  { title: 'AgentContainer' },
);
export type Container = Static<typeof Container>;

/** Milliseconds that an answer waits for another list. */
export const CONTAINERS_WAIT_MS = 25_000;

/** Bytes of an answer. */
export const CONTAINERS_BYTES = 8 * 1024 * 1024;

const ContainersQuery = t.Object({ after: t.Optional(t.String({ maxLength: 100 })) });

/** The answer of `GET /containers?after=TAG` of an agent. */
export const Containers = t.Object({
  engine: t.UnionEnum(['off', 'up', 'down'], {
    description: '`off`: there is no `DOCKER_SOCKET`; `down`: it does not answer as it should',
  }),
  detail: t.Union([t.String(), t.Null()], { description: 'why it is down, for people' }),
  tag: t.String({
    description: 'of this list: with `after`, the answer waits until there is another',
  }),
  /** Null if they are not known: then nothing follows from it. */
  containers: t.Union([t.Array(Container), t.Null()]),
  labels: t.Union([t.Literal('safe'), t.Literal('all')]),
  domains: t.Array(t.String(), { description: 'which names labels may give; empty: all' }),
});
export type Containers = Static<typeof Containers>;

/** The containers beside its proxy. With the tag of a list, waits for another one. */
export const CONTAINERS: Call<typeof ContainersQuery, typeof Containers> = {
  path: '/containers',
  query: ContainersQuery,
  answer: Containers,
  deadline: CONTAINERS_WAIT_MS + 15_000,
  limit: CONTAINERS_BYTES,
};
