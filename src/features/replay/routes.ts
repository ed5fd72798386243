/** `/replays`: what a change would have done to the requests that are in the access log. */
import { Elysia, type Static, t } from 'elysia';
import type { ApiCore } from '../../hub/core.ts';
import { flag, textParams } from '../../hub/http/params.ts';
import { UNDOES } from '../../hub/http/refusal-schemas.ts';
import { route } from '../../hub/http/route.ts';
import { AnyOperation, createChangeFrom } from '../../hub/model/any-operation.ts';
import { inOperation, sequence } from '../../hub/model/changes.ts';
import { jsonBody } from '../../shared/json-body.ts';
import type { Replays } from './replays.ts';
import { ReplayGroup, ReplayRequest, ReplayStarted, ReplayState } from './wire.ts';

const MAX_OPERATIONS = 1_000;

const { days, requests } = ReplayRequest.properties;

const ReplayBody = t.Object(
  {
    operations: t.Array(AnyOperation, {
      minItems: 1,
      maxItems: MAX_OPERATIONS,
      description: 'one change together, each on top of those before it',
    }),
    days: t.Optional({ ...days, description: 'how far back; 7 if left out' }),
    requests: t.Optional({
      ...requests,
      description: 'how many distinct ones at most, the newest first; 20,000 if left out',
    }),
    agent: t.Optional(
      t.String({
        maxLength: 40,
        description:
          'only at this agent’s proxy, instead of all that the change concerns; a preamble becomes its separate one',
      }),
    ),
  },
  { title: 'ReplayRequest' },
);

const ReplayView = t.Object(
  {
    ...ReplayState.properties,
    groups: t.Array(
      t.Object({
        ...ReplayGroup.properties,
        agent: t.Optional(t.String({ description: 'if there are several' })),
      }),
      { description: ReplayState.properties.groups.description ?? '' },
    ),
  },
  { title: 'ReplayState' },
);
export type ReplayView = Static<typeof ReplayView>;

const SITE = {
  domain: 'app.example.org',
  config: 'reverse_proxy {upstream}',
  upstream: '127.0.0.1:8000',
};
const EXAMPLE_ID = '1f6e2c9b-7a1d-4c53-9b0e-2f4d8a6c0b35';
const ReplayParams = textParams(EXAMPLE_ID);

type Deps = Pick<ApiCore, 'db' | 'publisher' | 'guard' | 'bodyLimit'> & { replays: Replays };

export function replayRoutes({ replays, db, publisher, guard, bodyLimit }: Deps) {
  const changeFrom = createChangeFrom(db, publisher.current);

  return new Elysia({ name: 'replays', prefix: '/replays' })
    .use(guard)
    .get(
      '/:id',
      ({ params }) => replays.state(params.id),
      route({
        id: 'getReplay',
        tag: 'Configuration',
        summary: 'See how far a replay is, and what it has found so far',
        description:
          'Also one that somebody else started. The result is kept for ten minutes. With several agents, the numbers are those of all; it has `failed` only if all of them have.',
        access: 'read',
        needs: 'editor',
        params: ReplayParams,
        returns: ReplayView,
        example: EXAMPLE,
      }),
    )
    .delete(
      '/:id',
      async ({ params }) => {
        await replays.end(params.id);
        return { success: true as const };
      },
      route({
        id: 'endReplay',
        tag: 'Configuration',
        summary: 'End a replay and forget its result',
        access: 'write',
        params: ReplayParams,
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      async ({ body: { operations, agent, ...options }, query, set, assertOwner }) => {
        const isOne = operations.length === 1;
        const changes = await Promise.all(
          operations.map((operation, at) => {
            const change = () => changeFrom(operation, { agent, assertOwner });
            return isOne ? change() : inOperation(at + 1, change);
          }),
        );
        const [first, ...others] = changes;
        const change = first && others.length === 0 ? first : sequence(changes);
        const signedIn = query.signedIn === 'true';
        const id = await replays.start(change, {
          agent,
          ...options,
          ...(signedIn && { signedIn }),
        });
        set.status = 202;
        return { id };
      },
      route({
        id: 'startReplay',
        tag: 'Configuration',
        summary: 'Ask how requests of the last days would be answered after a change',
        description:
          'Nothing is changed, and no upstream is asked. Each agent that the change concerns takes the distinct requests (method, host, path with query, address) of its sites from its access log, asks two separate Caddys, one with what is live and one with what would be, and compares status, upstream and `Location`. A change that would be refused is refused.',
        access: 'write',
        query: t.Object({
          signedIn: flag(
            '`true`: once more for visitors that a sign-in service has let in; otherwise only for those it has not.',
          ),
        }),
        body: ReplayBody,
        publishes: true,
        refuses: [...UNDOES, 'CHANGED_SINCE', 'RATE_LIMITED'],
        status: 202,
        returns: ReplayStarted,
        bodies: {
          policy: {
            value: {
              operations: [
                { op: 'policy', id: 1, values: { networks: ['192.168.1.0/24'] } },
                { op: 'create', ...SITE },
              ],
              days: 7,
            },
          },
          undo: { value: { operations: [{ op: 'undo', group: 12 }] } },
        },
        example: { id: EXAMPLE_ID },
      }),
    );
}

const EXAMPLE = {
  state: 'done',
  done: 18_204,
  of: 18_204,
  same: 18_203,
  differ: 1,
  groups: [
    {
      domain: SITE.domain,
      requests: 1,
      count: 3,
      visitors: 1,
      before: { status: 200, to: SITE.upstream, location: null },
      after: { status: 403, to: null, location: null },
      examples: [
        {
          method: 'POST',
          path: '/api/push',
          ip: '192.168.1.23',
          timestamp: '2026-11-20T19:00:00.000Z',
        },
      ],
    },
  ],
  leftOut: [{ reason: 'websockets', count: 12 }],
};
