/** `/vhosts/bulk`: several changes in one publish. */
import { Elysia, type Static, t } from 'elysia';
import { createPauses } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import { integer } from '../../shared/integer.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { authorOf } from '../auth/guard.ts';
import { ChangeQuery, demandsOf } from '../http/params.ts';
import { route } from '../http/route.ts';
import {
  Done,
  Lacking,
  lacking,
  openWarnings,
  untriedWarnings,
  type Warning,
  warned,
} from '../http/schemas.ts';
import { vhostsTouched } from '../model/applied.ts';
import { type Change, inOperation, sequence } from '../model/changes.ts';
import { changeOf, Operation, PolicyOperation, policyChangeOf } from '../model/operation.ts';
import { withoutLoops } from '../model/sign-in-loop.ts';
import type { SiteSet, Vhost } from '../model/vhost.ts';
import type { Applied } from '../publish/queue.ts';
import type { Policy } from '../recipes/policy.ts';
import type { ApiContext } from './context.ts';
import { ChangedPolicy, viewedPolicy } from './policies.ts';
import {
  CHANGED,
  ChangedVhost,
  NEW_VHOST,
  ownHosts,
  Unreached,
  unreached,
  viewVhost,
} from './vhost-view.ts';

const MAX_OPERATIONS = 1_000;
/** Characters: as much as an agent takes of a whole Caddyfile. */
const MOST_ANSWERED = 16 * 1024 * 1024;

/** The fields of a vhost or policy that the caller has read, and its id. */
const Seen = t.Object({ id: integer() }, { additionalProperties: true });

const SeenAll = t.Optional(t.Array(Seen, { maxItems: MAX_OPERATIONS }));
const Expected = { vhosts: SeenAll, policies: SeenAll };

type Result = Vhost | Policy | { success: true };

export function vhostBulkRoutes(context: ApiContext) {
  const { publisher, warningsAfter, readPorts, retries, guard, bodyLimit } = context;
  return new Elysia({ name: 'vhost-bulk', prefix: '/vhosts' })
    .use(guard)
    .use(jsonBody(bodyLimit))
    .post(
      '/bulk',
      ({ body, query, who, set, request }) =>
        retries.once({ request, who, body, query, set }, 200, async (keep) => {
          const before = publisher.current();
          const changes = await changesOf(body.operations, before);
          const change = bounded(expecting(body.expects ?? {}, withoutLoops(sequence(changes))));
          const applied = await publisher.apply(change, authorOf(who), {
            ...demandsOf(query),
            ...keep<Result[]>((stored, next) => viewed(stored, next)),
          });
          const vhosts = applied.result.filter((one) => 'domain' in one);
          const warnings = await warningsAfter(vhosts);
          const next = publisher.current();
          const { body: answer } = viewed(applied, next, (one, at) => [
            ...('domain' in one ? (warnings.get(one.id) ?? []) : []),
            ...openWarnings(
              applied.open,
              ownHosts(() => touchedBy(one, body.operations[at], before, next), before),
            ),
          ]);
          const ports = await unreached([...warnings.values()].flat(), readPorts);
          return { body: { ...answer, ...ports } };
        }),
      route({
        id: 'bulkVhosts',
        tag: 'Vhosts',
        summary: 'Make several changes in one publish, all or nothing',
        description:
          'Each operation sees those before it: a policy can be created and put on vhosts in one request.',
        access: 'write',
        query: ChangeQuery,
        body: t.Object({
          operations: t.Array(t.Union([Operation, PolicyOperation]), { maxItems: MAX_OPERATIONS }),
          expects: t.Optional(
            t.Object(Expected, {
              description:
                'vhosts and policies as you read them, or some of their fields; if one of them is no longer so before the first operation, nothing is changed',
            }),
          ),
        }),
        publishes: true,
        refuses: ['NOT_FOUND', 'DOMAIN_TAKEN', 'POLICY_TAKEN', 'PRECONDITION_FAILED'],
        returns: t.Composite([
          Lacking,
          Unreached,
          t.Object({
            results: t.Array(t.Union([ChangedVhost, ChangedPolicy, Done])),
            group: t.Optional(
              integer({
                description: 'of these changes in the changelog; left out if nothing has changed',
              }),
            ),
          }),
        ]),
        requestHeaders: ['Idempotency-Key'],
        bodies: {
          several: {
            value: {
              operations: [
                { op: 'create', ...NEW_VHOST },
                { op: 'toggle', id: 2 },
                { op: 'delete', id: 3 },
              ],
            },
          },
        },
        example: {
          results: [CHANGED, { ...CHANGED, id: 2, domain: 'b.example.org' }, { success: true }],
          group: 2,
        },
      }),
    );
}

type AnyOperation = Static<typeof Operation> | Static<typeof PolicyOperation>;

/** @throws Failure with the number of the operation: INVALID_REQUEST, NOT_FOUND */
const changesOf = (operations: readonly AnyOperation[], set: SiteSet): Promise<Change<Result>[]> =>
  Promise.all(
    operations.map((operation, at): Change<Result> | Promise<Change<Result>> =>
      operation.op === 'policy'
        ? inOperation(at + 1, () => policyChangeOf(operation, set))
        : changeOf(operation),
    ),
  );

/** The change, if these vhosts and policies are as expected. @throws Failure PRECONDITION_FAILED, when planned */
const expecting =
  <T>(
    { vhosts = [], policies = [] }: { vhosts?: readonly Thing[]; policies?: readonly Thing[] },
    change: Change<T>,
  ): Change<T> =>
  (set, time) => {
    const siteOf = new Map(set.vhosts.map((one) => [one.id, one]));
    const policyOf = new Map(set.policies.map((one) => [one.id, one]));
    for (const seen of vhosts) {
      const now = siteOf.get(seen.id);
      assertSeen(seen, now && viewVhost(now, set), `site ${now?.domain ?? seen.id}`);
    }
    for (const seen of policies) {
      const now = policyOf.get(seen.id);
      assertSeen(seen, now && viewedPolicy(now, set).body, `policy ${now?.name ?? seen.id}`);
    }
    return change(set, time);
  };

/** The change, if its answer is not too large. @throws Failure BODY_TOO_LARGE, when planned */
const bounded =
  (change: Change<Result[]>): Change<Result[]> =>
  async (set, time) => {
    const plan = await change(set, time);
    const [results, next] = 'done' in plan ? [plan.done, set] : [plan.result, plan.next];
    const pause = createPauses();
    let length = 0;
    for (const one of results) {
      const shown = 'recipe' in one ? viewedPolicy(one, next).body : one;
      length += JSON.stringify(shown).length;
      if (length > MOST_ANSWERED) throw tooLarge();
      await pause();
    }
    return plan;
  };

const tooLarge = () =>
  new Failure('BODY_TOO_LARGE', 'The response would be larger than 16 MiB; nothing was changed.', {
    hint: 'Send fewer operations in one request: the response has a vhost for each of them.',
  });

type Thing = Static<typeof Seen>;

/** @param now as it is shown; undefined if it is gone @throws Failure PRECONDITION_FAILED */
function assertSeen(seen: Thing, now: Thing | undefined, name: string): void {
  if (now && Bun.deepEquals({ ...now, ...seen }, now)) return;
  throw new Failure('PRECONDITION_FAILED', `The ${name} has changed since you read it.`);
}

/** The vhosts that an operation has touched, as they were. @param one its result */
function touchedBy(
  one: Result,
  operation: AnyOperation | undefined,
  set: SiteSet,
  next: SiteSet,
): Vhost[] {
  if ('recipe' in one) return vhostsTouched(next, set, one.id);
  const id = 'id' in one ? one.id : operation?.op === 'delete' ? operation.id : null;
  return set.vhosts.filter((vhost) => vhost.id === id);
}

/** The answer. @param warningsOf those of a result; none while they are not known */
const viewed = (
  { result: results, group, behind, untried }: Applied<Result[]>,
  among: SiteSet,
  warningsOf: (one: Result, at: number) => Warning[] = () => [],
) => ({
  body: {
    results: results.map((one, at) => {
      const warnings = warningsOf(one, at);
      if ('success' in one) return { ...one, ...warned(warnings) };
      if ('recipe' in one) return { ...viewedPolicy(one, among).body, ...warned(warnings) };
      const own = untriedWarnings(untried, one.domain);
      return { ...viewVhost(one, among), warnings: [...own, ...warnings] };
    }),
    ...(group !== null && { group }),
    ...lacking(behind),
  },
});
