/** Parameters that several routes take. */
import { type Static, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';

export const IdParams = t.Object({ id: t.String() });

const ID = /^[1-9]\d{0,14}$/;

/** @throws Failure NOT_FOUND for anything that cannot be an id; `what` names it in the sentence */
export function idOf({ id }: Static<typeof IdParams>, what = 'vhost'): number {
  if (ID.test(id)) return Number(id);
  throw new Failure('NOT_FOUND', `There is no such ${what}.`);
}

/**
 * `replace=true`: the first change may replace sites that signalbox did not write.
 * No `UnionEnum`: Elysia gives a missing one its first value.
 */
export const ReplaceQuery = t.Object({
  replace: t.Optional(t.Union([t.Literal('true'), t.Literal('false')])),
});

export const replaces = (query: Static<typeof ReplaceQuery>): boolean => query.replace === 'true';
