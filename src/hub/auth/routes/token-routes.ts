/** `/tokens`: permanent tokens for scripts, managed by whoever is signed in. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../../shared/http.ts';
import { BODY, refusals, WRITES } from '../../http/refusal-schemas.ts';
import { Success, Timestamp } from '../../http/schemas.ts';
import type { SessionGuard } from '../guard.ts';
import type { TokenInfo, Tokens } from '../tokens/tokens.ts';
import * as operations from './operations.ts';

const fields = {
  id: t.String(),
  name: t.String(),
  scope: t.UnionEnum(['read', 'write']),
  expiresAt: t.Union([Timestamp, t.Null()]),
  lastUsedAt: t.Union([Timestamp, t.Null()]),
  createdAt: Timestamp,
};
const TokenView = t.Object(fields, { title: 'ApiToken' });
const NewToken = t.Object(
  { ...fields, token: t.String({ description: 'shown this once' }) },
  { title: 'NewApiToken' },
);

/** ISO 8601 with a time zone, as in every answer. */
const TIME = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$';

const view = <T extends TokenInfo>(token: T) => ({
  ...token,
  expiresAt: token.expiresAt?.toISOString() ?? null,
  lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  createdAt: token.createdAt.toISOString(),
});

export type TokenRoutesDeps = { tokens: Tokens; guard: SessionGuard; bodyLimit: number };

export function tokenRoutes({ tokens, guard, bodyLimit }: TokenRoutesDeps) {
  return new Elysia({ name: 'tokens', prefix: '/tokens' })
    .use(guard)
    .get('/', ({ who }) => tokens.list(who.user.id).map(view), {
      response: { 200: t.Array(TokenView), ...refusals(...WRITES) },
      detail: operations.listTokens,
    })
    .delete(
      '/:id',
      ({ params, who }) => {
        tokens.remove(who.user.id, params.id);
        return { success: true as const };
      },
      {
        params: t.Object({ id: t.String() }),
        response: { 200: Success, ...refusals(...WRITES, 'NOT_FOUND') },
        detail: operations.deleteToken,
      },
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/',
      ({ body, who, set }) => {
        const made = tokens.create(who.user.id, {
          name: body.name,
          scope: body.scope ?? 'read',
          expiresAt: body.expiresAt ?? null,
        });
        set.status = 201;
        return view(made);
      },
      {
        body: t.Object(
          {
            name: t.String(),
            scope: t.Optional(t.UnionEnum(['read', 'write'])),
            expiresAt: t.Optional(t.Union([t.String({ pattern: TIME }), t.Null()])),
          },
          { title: 'TokenRequest' },
        ),
        response: { 201: NewToken, ...refusals(...WRITES, ...BODY) },
        detail: operations.createToken,
      },
    );
}
