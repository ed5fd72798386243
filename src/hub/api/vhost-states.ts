/**
 * `/vhosts/state`: certificates, upstreams and last errors of the vhosts, as the proxy reports them.
 * `/vhosts/activity`: the requests of the last hour, for all vhosts in one response.
 */
import { Elysia, getSchemaValidator, type TSchema, t } from 'elysia';
import { shareNext } from '../../shared/async.ts';
import { integer } from '../../shared/integer.ts';
import { createCache, memoize } from '../../shared/memoize.ts';
import { ActivityQuery, Activity as Counts, Latency, LogActivity } from '../../shared/wire/logs.ts';
import { type Guard, isViewer } from '../auth/guard.ts';
import { AgentQuery, IdParams, idOf } from '../http/params.ts';
import { isNamedBy, sharedJson } from '../http/responses.ts';
import { route } from '../http/route.ts';
import { type Activity, MOST_HOSTS } from '../watch/activity.ts';
import { stateForViewers } from '../watch/for-viewers.ts';
import { stateTag, stateText } from '../watch/sites/state-text.ts';
import { createStates } from '../watch/sites/states.ts';
import { STATE, VhostState } from '../watch/sites/view.ts';
import type { ApiContext } from './context.ts';

/** One for each role; one of 10,000 states has some megabytes. */
const MOST_ANSWERS = 2;

export function vhostStateRoutes({ guard, ...deps }: ApiContext) {
  const states = createStates(deps.publisher, deps.checks, deps.failing, deps.now);
  /** Everybody who looks at the sites asks for the same. */
  const everywhere = shareNext(() => states.all());
  /** What was answered last, by who sees it, and of which agent. */
  const answers = createCache<{ tag: string; answer: ReturnType<typeof shared> }>(MOST_ANSWERS);
  return new Elysia({ name: 'vhost-state', prefix: '/vhosts' })
    .use(guard)
    .get(
      '/state',
      async ({ query: { agent = '' }, request, set, who }) => {
        const found = cleaned(await (agent === '' ? everywhere() : states.all(agent)));
        const all = isViewer(who) ? seenByViewers(found) : found;
        const tag = stateTag(all);
        set.headers.ETag = tag;
        if (isNamedBy(request, tag)) return new Response(null, { status: 304 });
        const list = `${isViewer(who)} ${agent}`;
        const last = answers.get(list);
        // Those who poll do not need what is different at each look: it is not made again for each of them.
        if (last?.tag === tag && request.headers.has('if-none-match')) return last.answer(request);
        const answer = shared(all);
        answers.put(list, { tag, answer });
        return answer(request);
      },
      route({
        id: 'listVhostStates',
        tag: 'Vhosts',
        summary: 'List the state of all vhosts',
        description:
          'Certificates are those that the proxy presented in a TLS handshake with the agent, at most five minutes ago. With several agents, the state is the worst of theirs.',
        access: 'read',
        query: AgentQuery,
        asks: 'proxy',
        returns: VhostStates,
        requestHeaders: ['If-None-Match'],
        responseHeaders: ['ETag'],
        example: [STATE],
      }),
    )
    .get(
      '/:id/state',
      async ({ params, query, who }) => {
        const state = await states.one(idOf(params), query.agent);
        return isViewer(who) ? stateForViewers(state) : state;
      },
      route({
        id: 'getVhostState',
        tag: 'Vhosts',
        summary: 'Get the state of a vhost',
        access: 'read',
        params: IdParams,
        query: AgentQuery,
        asks: 'proxy',
        returns: VhostState,
        example: STATE,
      }),
    );
}

const VhostStates = t.Array(VhostState);

/** Without what a newer agent may say of a site: the schema of the route does not see a text. */
const cleanerOf = memoize((schema: TSchema) => getSchemaValidator(schema, { normalize: true }));
const cleaned = memoize(
  (states: readonly VhostState[]) => cleanerOf(VhostStates).Clean?.(states) as VhostState[],
);
const seenByViewers = memoize((states: readonly VhostState[]) => states.map(stateForViewers));
const shared = memoize((states: readonly VhostState[]) => sharedJson(stateText(states)));

export const VhostActivity = t.Composite(
  [
    t.Omit(LogActivity, ['domains', 'since']),
    t.Object({
      vhosts: t.Array(
        t.Composite([
          t.Object({
            id: integer(),
            hosts: t.Array(t.String(), {
              description: `the host names that were requested, at most ${MOST_HOSTS}`,
            }),
          }),
          Counts,
          t.Object({ p95: Latency }),
        ]),
        { description: 'the vhosts that had requests; matched by host name, on any port' },
      ),
    }),
  ],
  { title: 'VhostActivity' },
);

const DEFAULT_BUCKETS = 12;

export function vhostActivityRoutes({ activity, guard }: { activity: Activity; guard: Guard }) {
  const { lastHour } = activity;
  return new Elysia({ name: 'vhost-activity', prefix: '/vhosts' }).use(guard).get(
    '/activity',
    ({ query }) => lastHour(Number(query.buckets || DEFAULT_BUCKETS), query.agent),
    route({
      id: 'listVhostActivity',
      tag: 'Vhosts',
      summary: 'Requests, errors and latency of the last hour, by vhost',
      description:
        'Oldest bucket first; requests of checks do not count. With several agents, the requests of all together.',
      access: 'read',
      query: t.Composite([t.Pick(ActivityQuery, ['buckets']), AgentQuery]),
      asks: 'agent',
      returns: VhostActivity,
      example: {
        from: '2026-11-20T17:00:00.000Z',
        to: '2026-11-20T18:00:00.000Z',
        buckets: 2,
        vhosts: [
          {
            id: 1,
            hosts: ['app.example.org'],
            requests: [3, 1],
            status4xx: [0, 1],
            status5xx: [0, 0],
            p95: 12.5,
          },
        ],
      },
    }),
  );
}
