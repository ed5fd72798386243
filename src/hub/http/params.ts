/** Parameters that several routes take. */
import { type Static, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';

/** Ids are integers. The schema accepts any text, because any other id is a 404 and not a 400. */
export const IdParams = t.Object({
  id: t.String({ documented: { type: 'integer', minimum: 1 }, example: 1 }),
});

/** Ids that are texts. */
export const textParams = (example: string) => t.Object({ id: t.String({ example }) });

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

/** `true`, or nothing. Not a `UnionEnum`: Elysia would default a missing parameter to the first value. */
export const flag = (description: string) =>
  t.Optional(t.Union([t.Literal('true'), t.Literal('false')], { description }));

/**
 * `replace=true`: the change may replace sites that this hub did not publish. `require=all`: it is
 * refused unless all agents that it concerns can be reached.
 */
export const ChangeQuery = t.Object({
  replace: flag('`true` allows the change to replace sites that this hub did not publish.'),
  require: t.Optional(
    t.Union([t.Literal('all'), t.Literal('')], {
      description: 'With `all`, the change is refused unless every affected agent is reachable.',
      example: 'all',
    }),
  ),
});

/** `replay=true`: a dry run also starts a replay of what it would do. */
export const ReplayQuery = t.Object({
  replay: flag(
    '`true`, with a dry run: also starts a replay of what it would do, for `GET /replays/:id`.',
  ),
});

/** @throws Failure INVALID_REQUEST unless it is a dry run */
export function wantsReplay({ replay }: Static<typeof ReplayQuery>, isDryRun: boolean): boolean {
  if (replay !== 'true' || isDryRun) return replay === 'true';
  throw new Failure('INVALID_REQUEST', 'Only a dry run can start a replay.', {
    at: { field: 'replay' },
  });
}

/** What a query demands of the publish. */
export const demandsOf = ({ replace, require }: Static<typeof ChangeQuery>) => ({
  replace: replace === 'true',
  requireAll: require === 'all',
});

/** `agent=NAME`: of one agent, instead of all together. An empty value counts as missing. */
export const AgentQuery = agentQuery({
  description: 'The name of one agent, instead of all together. Unknown: 404.',
  example: 'local',
});

/** The same in other words. */
export function agentQuery(said: { description: string; example?: string }) {
  return t.Object({ agent: t.Optional(t.String({ ...said, maxLength: 100 })) });
}
