/** `/invitations`: links with which owners let others make an account. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../../shared/json-body.ts';
import { textParams } from '../../http/params.ts';
import { route } from '../../http/route.ts';
import { Timestamp } from '../../http/schemas.ts';
import type { AuthContext } from './context.ts';
import { RoleName } from './views.ts';

const fields = { id: t.String(), role: RoleName, expiresAt: Timestamp };
export const InvitationView = t.Object(
  {
    ...fields,
    email: t.Union([t.String(), t.Null()], { description: 'the only address that may use it' }),
    invitedBy: t.String({ description: 'name of the owner who made it' }),
    createdAt: Timestamp,
  },
  { title: 'Invitation' },
);
export const NewInvitation = t.Object(
  { ...fields, url: t.String({ description: 'shown only once, in this response' }) },
  { title: 'NewInvitation' },
);

const INVITATION = {
  id: '5d1e8a3c7b42',
  role: 'editor',
  expiresAt: '2026-11-27T18:00:00.000Z',
};

export function invitationRoutes(deps: AuthContext) {
  const { invitations, originOf, guard, bodyLimit } = deps;
  return new Elysia({ name: 'invitations', prefix: '/invitations' })
    .use(guard)
    .get(
      '/',
      () =>
        invitations.list().map((one) => ({
          ...one,
          createdAt: one.createdAt.toISOString(),
          expiresAt: one.expiresAt.toISOString(),
        })),
      route({
        id: 'listInvitations',
        tag: 'Accounts',
        summary: 'List the invitations that can still be used',
        access: 'session',
        needs: 'owner',
        returns: t.Array(InvitationView),
        example: [
          {
            ...INVITATION,
            email: 'bob@example.org',
            invitedBy: 'Ada',
            createdAt: '2026-11-20T18:00:00.000Z',
          },
        ],
      }),
    )
    .delete(
      '/:id',
      ({ params, who }) => {
        invitations.remove(params.id, who);
        return { success: true as const };
      },
      route({
        id: 'deleteInvitation',
        tag: 'Accounts',
        summary: 'Take an invitation back',
        access: 'session',
        needs: 'owner',
        fresh: true,
        params: textParams(INVITATION.id),
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      ({ body, request, who, set }) => {
        const { id, role, token, expiresAt } = invitations.create(body, who);
        set.status = 201;
        const url = `${originOf(request)}/#invitation=${token}`;
        return { id, url, role, expiresAt: expiresAt.toISOString() };
      },
      route({
        id: 'createInvitation',
        tag: 'Accounts',
        summary: 'Invite somebody to make an account',
        description:
          'The link works once, for seven days, also with `SIGN_UP=closed`, and ends when you are no longer an owner. With `email`, only that address can use it.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        body: t.Object(
          { role: RoleName, email: t.Optional(t.Union([t.String(), t.Null()])) },
          { title: 'InvitationRequest' },
        ),
        refuses: ['INVALID_EMAIL', 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL'],
        status: 201,
        returns: NewInvitation,
        bodies: { editor: { value: { role: 'editor', email: 'bob@example.org' } } },
        example: {
          ...INVITATION,
          url: 'https://box.example/#invitation=wq9c4m0q7k2n8s5t1u6w3x9y2z4a8Jm1vX0Zb0rXlq3',
        },
      }),
    );
}
