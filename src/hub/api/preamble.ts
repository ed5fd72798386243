/** `/preamble`: the global options and snippets before the sites. */
import { Elysia, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { authorOf } from '../auth/guard.ts';
import { PREAMBLE } from '../exchange/schemas.ts';
import { about, DEMANDS } from '../http/about.ts';
import { AgentQuery, ChangeQuery, demandsOf } from '../http/params.ts';
import { BODY, PUBLISHES, READS, refusals } from '../http/refusal-schemas.ts';
import { Outcome, outcomeOf, Timestamp } from '../http/schemas.ts';
import type { Change } from '../model/changes.ts';
import { agentNamed } from '../model/placement.ts';
import { agentPreambleChange, preambleChange } from '../model/preamble-changes.ts';
import type { ApiContext } from './context.ts';

const PreambleView = t.Object(
  {
    config: t.String(),
    updatedAt: Timestamp,
    own: t.Optional(
      t.Boolean({ description: 'of an agent: whether it has a separate one, or the common one' }),
    ),
  },
  { title: 'Preamble' },
);
const PreambleBody = t.Object(
  {
    config: t.Union([t.String(), t.Null()], {
      description: 'null, for an agent: use the common one again',
    }),
  },
  { title: 'PreambleChange' },
);
const OF_AGENT = {
  agent: {
    description: 'The preamble of this agent, instead of the common one.',
    example: 'local',
  },
};

const VIEW = { config: PREAMBLE, updatedAt: '2026-11-20T18:00:00.000Z' };

export function preambleRoutes({ publisher, store, guard, bodyLimit }: ApiContext) {
  const view = (name?: string) => {
    const set = publisher.current();
    const agent = name ? agentNamed(name, set) : null;
    return {
      config: agent?.preamble ?? set.preamble,
      updatedAt: (agent?.preamble != null
        ? agent.updatedAt
        : store.preambleUpdatedAt()
      ).toISOString(),
      ...(agent && { own: agent.preamble !== null }),
    };
  };

  return new Elysia({ name: 'preamble' })
    .use(guard)
    .get('/preamble', ({ query }) => view(query.agent), {
      query: AgentQuery,
      response: { 200: PreambleView, ...refusals(...READS, 'NOT_FOUND') },
      detail: about({
        id: 'getPreamble',
        tag: 'Configuration',
        summary: 'Get the preamble: the global options and snippets before the sites',
        access: 'read',
        needs: 'editor',
        params: OF_AGENT,
        example: VIEW,
      }),
    })
    .use(jsonBody(bodyLimit))
    .put(
      '/preamble',
      async ({ body, query, who }) => {
        const change = changeTo(body.config, query.agent);
        const applied = await publisher.apply(change, authorOf(who), demandsOf(query));
        return { ...view(query.agent), ...outcomeOf(applied) };
      },
      {
        query: t.Composite([ChangeQuery, AgentQuery]),
        body: PreambleBody,
        response: {
          200: t.Composite([PreambleView, Outcome], { title: 'ChangedPreamble' }),
          ...refusals(...PUBLISHES, ...BODY, 'NOT_FOUND'),
        },
        detail: about({
          id: 'updatePreamble',
          tag: 'Configuration',
          summary: 'Change the preamble and publish it',
          access: 'write',
          needs: 'editor',
          params: { ...OF_AGENT, ...DEMANDS },
          bodies: { email: { value: { config: PREAMBLE } } },
          example: VIEW,
        }),
      },
    );
}

/** @throws Failure INVALID_REQUEST if it is to be removed, and no agent is named */
function changeTo(config: string | null, agent?: string): Change<{ success: true }> {
  if (agent) return agentPreambleChange(agent, config);
  if (config !== null) return preambleChange(config);
  throw new Failure('INVALID_REQUEST', 'The common preamble cannot be null.', {
    at: { field: 'config' },
  });
}
