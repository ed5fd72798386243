/** `/tokens`: permanent API tokens for scripts; users manage their own. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../../shared/json-body.ts';
import { textParams } from '../../http/params.ts';
import { route } from '../../http/route.ts';
import { Timestamp } from '../../http/schemas.ts';
import type { TokenInfo } from '../tokens/tokens.ts';
import type { AuthContext } from './context.ts';

const fields = {
  id: t.String(),
  name: t.String(),
  scope: t.UnionEnum(['read', 'write']),
  expiresAt: t.Union([Timestamp, t.Null()]),
  lastUsedAt: t.Union([Timestamp, t.Null()]),
  createdAt: Timestamp,
};
export const TokenView = t.Object(fields, { title: 'ApiToken' });
export const NewToken = t.Object(
  { ...fields, token: t.String({ description: 'shown only once, in this response' }) },
  { title: 'NewApiToken' },
);

const API_TOKEN = {
  id: '7c2a9d4e6f10',
  name: 'backup',
  scope: 'read',
  expiresAt: null,
  lastUsedAt: null,
  createdAt: '2026-11-20T18:00:00.000Z',
};

/** ISO 8601 with a time zone, as in every response. */
const TIME = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$';

const view = <T extends TokenInfo>(token: T) => ({
  ...token,
  expiresAt: token.expiresAt?.toISOString() ?? null,
  lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  createdAt: token.createdAt.toISOString(),
});

export function tokenRoutes({ tokens, guard, bodyLimit }: AuthContext) {
  return new Elysia({ name: 'tokens', prefix: '/tokens' })
    .use(guard)
    .get(
      '/',
      ({ who }) => tokens.list(who.user.id).map(view),
      route({
        id: 'listTokens',
        tag: 'Tokens',
        summary: 'List your API tokens',
        access: 'session',
        needs: 'viewer',
        returns: t.Array(TokenView),
        example: [API_TOKEN],
      }),
    )
    .delete(
      '/:id',
      ({ params, who }) => {
        tokens.remove(who, params.id);
        return { success: true as const };
      },
      route({
        id: 'deleteToken',
        tag: 'Tokens',
        summary: 'Revoke an API token',
        access: 'session',
        needs: 'viewer',
        fresh: true,
        params: textParams(API_TOKEN.id),
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      ({ body, who, set }) => {
        const token = tokens.create(who, {
          name: body.name,
          scope: body.scope ?? 'read',
          expiresAt: body.expiresAt ?? null,
        });
        set.status = 201;
        return view(token);
      },
      route({
        id: 'createToken',
        tag: 'Tokens',
        summary: 'Create an API token',
        description: 'Only this response contains the token itself.',
        access: 'session',
        needs: 'viewer',
        fresh: true,
        body: t.Object(
          {
            name: t.String(),
            scope: t.Optional(t.UnionEnum(['read', 'write'])),
            expiresAt: t.Optional(t.Union([t.String({ pattern: TIME }), t.Null()])),
          },
          { title: 'TokenRequest' },
        ),
        status: 201,
        returns: NewToken,
        bodies: {
          reader: { summary: 'Read-only', value: { name: 'backup' } },
          writer: {
            summary: 'May change vhosts, and expires',
            value: { name: 'deploy', scope: 'write', expiresAt: '2027-01-01T00:00:00Z' },
          },
        },
        example: { ...API_TOKEN, token: 'sbx_4kT9mWq2Zr7Yc1Vb8Nx5Hs3Jd6Lf0Pg0a1b2c' },
      }),
    );
}
