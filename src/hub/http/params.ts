/** Parameters that several routes take. */
import { type Static, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';

export const IdParams = t.Object({ id: t.String() });

const ID = /^[1-9]\d{0,14}$/;

/**
 * The id as a number.
 * @param what names the kind of thing in the message
 * @throws Failure NOT_FOUND for text that cannot be an id
 */
export function idOf({ id }: Static<typeof IdParams>, what = 'site'): number {
  if (ID.test(id)) return Number(id);
  throw new Failure('NOT_FOUND', `There is no such ${what}.`);
}

/**
 * `replace=true`: the change may replace sites that this hub did not publish.
 * Not a `UnionEnum`: Elysia would default a missing parameter to the first value.
 */
export const ReplaceQuery = t.Object({
  replace: t.Optional(t.Union([t.Literal('true'), t.Literal('false')])),
});

/** Whether a query says `replace=true`. */
export const replaces = (query: Static<typeof ReplaceQuery>): boolean => query.replace === 'true';

/** `agent=NAME`: of one agent, instead of all together. An empty value counts as missing. */
export const AgentQuery = t.Object({ agent: t.Optional(t.String({ maxLength: 100 })) });

/** For the documentation of a route with an `AgentQuery`. */
export const AGENT = {
  agent: {
    description: 'The name of one agent, instead of all together. Unknown: 404.',
    example: 'local',
  },
};
