/** `/agents`: the agents this hub publishes to. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../shared/json-body.ts';
import { authorOf, type Caller, forbiddenRole, isViewer, recordedAuthorOf } from '../auth/guard.ts';
import { AGENT, AgentView, agentForViewers } from '../http/agent-view.ts';
import { ChangeQuery } from '../http/params.ts';
import { route } from '../http/route.ts';
import type { ApiContext } from './context.ts';

const NameParams = t.Object({
  name: t.String({ description: 'The agent’s name.', example: AGENT.name }),
});
const GOES_ON = 'The proxy keeps running unchanged.';

const recorded = (who: Caller, target: string, detail: string) =>
  recordedAuthorOf(who, { kind: 'agent', target, detail });

/** @param reason a sentence */
const stillAccepts = (reason: string): string =>
  `The agent may still accept the hub’s token, because it could not be told to forget it: ${reason} Stop it there.`;

export function agentRoutes(context: ApiContext) {
  const { fleet, guard, bodyLimit } = context;
  return new Elysia({ name: 'agents', prefix: '/agents' })
    .use(guard)
    .get(
      '/',
      ({ who }) => (isViewer(who) ? fleet.list().map(agentForViewers) : fleet.list()),
      route({
        id: 'listAgents',
        tag: 'Agents',
        summary: 'List the agents, the first one first',
        access: 'read',
        returns: t.Array(AgentView),
        example: [AGENT],
      }),
    )
    .get(
      '/:name',
      ({ params, who }) => {
        const agent = fleet.show(params.name);
        return isViewer(who) ? agentForViewers(agent) : agent;
      },
      route({
        id: 'getAgent',
        tag: 'Agents',
        summary: 'Get an agent',
        access: 'read',
        params: NameParams,
        returns: AgentView,
        example: AGENT,
      }),
    )
    .use(membershipRoutes(context))
    .use(jsonBody(bodyLimit))
    .patch(
      '/:name',
      ({ params, body, who }) => {
        if (body.name !== undefined && who.user.role !== 'owner') throw forbiddenRole('owner');
        const author =
          body.name === undefined
            ? authorOf(who)
            : recorded(who, params.name, `renamed: ${body.name}`);
        return fleet.update(params.name, body, author);
      },
      route({
        id: 'updateAgent',
        tag: 'Agents',
        summary: 'Rename an agent, or pause and resume publishing to it',
        description: 'Only owners may rename one.',
        access: 'write',
        params: NameParams,
        body: t.Object(
          { name: t.Optional(t.String()), paused: t.Optional(t.Boolean()) },
          { title: 'AgentChanges' },
        ),
        publishes: true,
        refuses: ['AGENT_TAKEN'],
        returns: AgentView,
        bodies: { pause: { value: { paused: true } } },
        example: { ...AGENT, paused: true },
      }),
    );
}

/**
 * Adding and removing agents, for sessions only: after a stolen token is revoked, no server that
 * was added with it may keep getting configurations.
 */
function membershipRoutes({ fleet, guard, bodyLimit }: ApiContext) {
  return new Elysia({ name: 'agents-membership' })
    .use(guard)
    .delete(
      '/:name',
      async ({ params, who }) => {
        const kept = await fleet.remove(params.name, recorded(who, params.name, 'removed'));
        return {
          success: true as const,
          message: GOES_ON,
          warnings: kept === null ? [] : [stillAccepts(kept)],
        };
      },
      route({
        id: 'deleteAgent',
        tag: 'Agents',
        summary: 'Remove an agent',
        description: `${GOES_ON} The agent forgets its token; if it could not be told to, \`warnings\` says so. The first agent cannot be removed, and an agent that alone serves a vhost cannot be removed either.`,
        access: 'session',
        needs: 'owner',
        fresh: true,
        params: NameParams,
        publishes: true,
        refuses: ['AGENT_IN_USE'],
        returns: t.Object({
          success: t.Literal(true),
          message: t.String(),
          warnings: t.Array(t.String(), {
            description: 'whether the agent may still accept a token of this hub',
          }),
        }),
        example: { success: true, message: GOES_ON, warnings: [] },
      }),
    )
    .post(
      '/:name/rotate',
      ({ params, who }) => fleet.rotate(params.name, recorded(who, params.name, 'new token')),
      route({
        id: 'rotateAgentToken',
        tag: 'Agents',
        summary: 'Give an agent a new token',
        description: 'Nothing is interrupted. The token of the first agent is a setting.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        params: NameParams,
        publishes: true,
        refuses: ['SECRET_KEY_UNUSABLE'],
        returns: AgentView,
        example: AGENT,
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      async ({ body, query, who, set }) => {
        const { name, invitation } = body;
        const replace = query.replace === 'true';
        const agent = await fleet.add(name, invitation, recorded(who, name, 'added'), replace);
        set.status = 201;
        return agent;
      },
      route({
        id: 'addAgent',
        tag: 'Agents',
        summary: 'Enrol an agent by its invitation, and publish to it',
        description:
          'Vhosts without a placement are published to it at once. If an agent of this name was enrolled before, it gets a new token.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        query: t.Pick(ChangeQuery, ['replace']),
        body: t.Object(
          {
            name: t.String({ description: '1 to 40 lower-case letters, digits and hyphens' }),
            invitation: t.String({
              description: 'the line that `signalbox agent --invite` printed',
            }),
          },
          { title: 'NewAgent' },
        ),
        publishes: true,
        refuses: ['INVITATION_INVALID', 'AGENT_TAKEN', 'SECRET_KEY_UNUSABLE'],
        status: 201,
        returns: AgentView,
        bodies: { vps: { value: { name: AGENT.name, invitation: 'sbxi_WyJodHRwczov…' } } },
        example: AGENT,
      }),
    );
}
