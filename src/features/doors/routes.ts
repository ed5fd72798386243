/** `/doors`: who gets in to each site, who came, and closing those that nobody uses from outside. */
import { Elysia, t } from 'elysia';
import { authorOf } from '../../hub/auth/guard.ts';
import type { ApiCore } from '../../hub/core.ts';
import { ChangeQuery, demandsOf } from '../../hub/http/params.ts';
import { route } from '../../hub/http/route.ts';
import { withOutcome } from '../../hub/http/schemas.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { type Closed, closeChange } from './close.ts';
import type { Findings } from './findings.ts';
import { rowsOf } from './rows.ts';
import { CloseAnswer, CloseBody, DoorsQuery, DoorView } from './schemas.ts';
import { DAYS } from './wire.ts';

/** While this problem stands, the log has the address of a proxy in front instead of visitors'. */
const SAME_ADDRESS: string = 'SAME_ADDRESS';

const answerOf = ({ policy, isNew, vhosts }: Closed) => ({
  policy,
  isNew,
  vhosts: vhosts.map(({ id }) => id),
});

export function doorsRoutes({
  publisher,
  guard,
  retries,
  now,
  bodyLimit,
  startReplay,
  withWarnings,
  lastProblems,
  findings,
}: ApiCore & { findings: Findings }) {
  return new Elysia({ name: 'doors', prefix: '/doors' })
    .use(guard)
    .get(
      '/',
      async ({ query }) => {
        const days = Number(query.days || DAYS.most);
        const set = publisher.current();
        const found = await findings.of(set, days);
        const knowsVisitors = lastProblems().every(({ code }) => code !== SAME_ADDRESS);
        return rowsOf(found, { set, now: now(), days, knowsVisitors });
      },
      route({
        id: 'listDoors',
        tag: 'Status',
        summary: 'Who gets in to each site, and who came',
        description:
          'Each proxy’s agent asks a separate Caddy for each site, as a stranger from a foreign address: for `/`, the ten paths visited most, one that nobody knows, and those that its rules name. No upstream and no sign-in service is asked. Kept until the next publish or another version of Caddy; the log is read again after five minutes. Before Caddy 2.7, rules on addresses are `unsure`. Whether a router lets strangers reach the proxy at all, this does not say.',
        access: 'read',
        needs: 'editor',
        query: DoorsQuery,
        refuses: ['RATE_LIMITED', 'PROXY_REJECTED'],
        asks: 'agent',
        returns: t.Array(DoorView),
        example: [EXAMPLE],
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/close',
      ({ body, query, who, set, request }) =>
        retries.once({ request, who, body, query, set }, 200, async (keep) => {
          const { vhosts, policy, dryRun } = body;
          const change = closeChange(vhosts, policy);
          const demands = demandsOf(query);
          if (dryRun) {
            const { result } = await publisher.rehearse(change, demands);
            const replay = result.vhosts.length > 0 && (await startReplay(change));
            return { body: { ...answerOf(result), ...(replay && { replay }) } };
          }
          const applied = await publisher.apply(change, authorOf(who), {
            ...demands,
            ...keep<Closed>((stored) => ({ body: withOutcome(stored, answerOf(stored.result)) })),
          });
          const answer = withOutcome(applied, answerOf(applied.result));
          return { body: await withWarnings(answer, applied.result.vhosts) };
        }),
      route({
        id: 'closeDoors',
        tag: 'Vhosts',
        summary: 'Let only your own network in to some vhosts',
        description:
          'Puts a policy before the others of these vhosts: in one publish, as one group of the changelog, so that one undo takes it back.',
        access: 'write',
        query: ChangeQuery,
        body: CloseBody,
        publishes: true,
        refuses: ['NOT_FOUND', 'POLICY_TAKEN', 'RATE_LIMITED'],
        returns: CloseAnswer,
        requestHeaders: ['Idempotency-Key'],
        bodies: {
          plan: { summary: 'Who would notice', value: { vhosts: [3], dryRun: true } },
        },
        example: { policy: 'home-only', isNew: true, vhosts: [3], group: 12 },
      }),
    );
}

const EXAMPLE = {
  vhost: 3,
  domain: 'photos.example.org',
  opensTo: 'anyone',
  proof: { path: '/', status: 200 },
  paths: [],
  by: [],
  came: { home: 4, outside: 0, signedIn: 0, refused: 0, last: '2026-11-26T18:00:00.000Z' },
  proposal: { policy: null, operation: { vhosts: [3] } },
} as const;
