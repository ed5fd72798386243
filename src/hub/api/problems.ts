/** `/problems/:key/known`: that somebody knows of a problem, so that it is neither announced nor counted. */
import { Elysia, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { authorOf } from '../auth/guard.ts';
import { route } from '../http/route.ts';
import { Timestamp } from '../http/schemas.ts';
import { knownChange, unknownChange } from '../model/known-changes.ts';
import { KnownView } from '../watch/problem.ts';
import type { Listed } from '../watch/problem-list.ts';
import type { ApiContext } from './context.ts';

const Key = t.Object({
  key: t.String({ description: 'The `key` of the problem in `/status`.', example: 'a1b2c3' }),
});

const KnownBody = t.Object(
  {
    until: t.Union([Timestamp, t.Null()], {
      description: 'a time to come; null: until it is over, so that it counts if it comes again',
    }),
  },
  { title: 'KnownChange' },
);

/** How much of its words the changelog has. */
const MOST_WORDS = 200;

export function problemRoutes(context: ApiContext) {
  const { publisher, look, listProblems, guard, bodyLimit, now } = context;

  /** @throws Failure NOT_FOUND */
  async function find(key: string): Promise<[Listed, ...Listed[]]> {
    const [first, ...others] = listProblems(await look(), now()).filter((one) => one.key === key);
    if (first) return [first, ...others];
    throw new Failure('NOT_FOUND', 'There is no such problem now.');
  }

  return new Elysia({ name: 'problems', prefix: '/problems' })
    .use(guard)
    .delete(
      '/:key/known',
      async ({ params: { key }, who }) => {
        const marks = (await find(key)).flatMap((one) => one.marks);
        const change = unknownChange(({ problem }) => marks.includes(problem));
        await publisher.apply(change, authorOf(who));
        return { success: true as const };
      },
      route({
        id: 'forgetProblem',
        tag: 'Status',
        summary: 'Announce and count a problem again',
        access: 'write',
        params: Key,
      }),
    )
    .use(jsonBody(bodyLimit))
    .put(
      '/:key/known',
      async ({ params: { key }, body, who }) => {
        const author = authorOf(who);
        const saying = { until: timeOf(body.until, now()), by: author.userName };
        const found = await find(key);
        const [{ message }] = found;
        const marks = found.flatMap((one) => one.marks);
        const words = message.length > MOST_WORDS ? `${message.slice(0, MOST_WORDS)}…` : message;
        const problems = [...new Set(marks)].map((problem) => ({ problem, words }));
        await publisher.apply(knownChange(problems, saying), author);
        return saying;
      },
      route({
        id: 'knowProblem',
        tag: 'Status',
        summary: 'Note that a problem is known: it is no longer announced or counted',
        description:
          'It stays in the list, last. You can undo this change; nothing is published. A channel that was told of it is still told when it is over.',
        access: 'write',
        params: Key,
        body: KnownBody,
        returns: KnownView,
        bodies: { time: { value: { until: '2026-12-01T08:00:00.000Z' } } },
        example: { until: '2026-12-01T08:00:00.000Z', by: 'Ann' },
      }),
    );
}

/** As every time in a response. @throws Failure INVALID_REQUEST */
function timeOf(until: string | null, now: Date): string | null {
  if (until === null) return null;
  const at = new Date(until);
  if (at > now) return at.toISOString();
  throw new Failure('INVALID_REQUEST', 'A problem can be known until a time to come, or null.', {
    at: { field: 'until' },
  });
}
