/** `/changelog`: who changed what, and undoing a change. */
import { Elysia, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { authorOf } from '../auth/guard.ts';
import { about, INTEGER_ID } from '../http/about.ts';
import { IdParams, idOf } from '../http/params.ts';
import { PUBLISHES, READS, refusals } from '../http/refusal-schemas.ts';
import { Done, lacking, Timestamp } from '../http/schemas.ts';
import { createChangelog } from '../model/changelog.ts';
import { revertChange } from '../model/history.ts';
import type { ApiContext } from './context.ts';

const Action = t.Union([
  t.Literal('create'),
  t.Literal('update'),
  t.Literal('delete'),
  t.Literal('toggle'),
]);

const ChangelogEntry = t.Object(
  {
    id: t.Integer(),
    userId: t.String(),
    userName: t.String(),
    action: Action,
    domain: t.String(),
    diff: t.Union([t.String(), t.Null()]),
    enabled: t.Union([t.Boolean(), t.Null()], {
      description: 'the new state after a toggle; null for other actions',
    }),
    createdAt: Timestamp,
    via: t.Union([t.String(), t.Null()], { description: 'the API token that made the change' }),
    behind: t.Optional(t.Array(t.String(), { description: 'the agents that were unreachable' })),
  },
  { title: 'ChangelogEntry' },
);

export function changelogRoutes({ db, publisher, guard }: ApiContext) {
  const changelog = createChangelog(db);
  return new Elysia({ name: 'changelog', prefix: '/changelog' })
    .use(guard)
    .get(
      '/',
      ({ query }) => {
        const before = query.before ? Number(query.before) : undefined;
        const filter = {
          domain: query.domain || undefined,
          user: query.user || undefined,
          action: query.action || undefined,
        };
        return changelog.page({ before, ...filter }).map(({ behind, ...entry }) => ({
          ...entry,
          ...lacking(behind ?? []),
          createdAt: entry.createdAt.toISOString(),
        }));
      },
      {
        query: t.Object({
          before: t.Optional(t.String({ pattern: '^([1-9][0-9]{0,14})?$' })),
          domain: t.Optional(t.String({ maxLength: 4096 })),
          user: t.Optional(t.String({ maxLength: 100 })),
          // Not a `UnionEnum`, which would default to its first value.
          action: t.Optional(t.Union([t.Literal(''), Action])),
        }),
        response: { 200: t.Array(ChangelogEntry), ...refusals(...READS) },
        detail: about({
          id: 'listChangelog',
          tag: 'Changelog',
          summary: 'List accepted changes, newest first, 100 per page',
          access: 'read',
          params: {
            before: {
              description: 'Only entries with a smaller id: the next page.',
              example: '101',
            },
            domain: { description: 'Only entries for this domain.', example: 'app.example.org' },
            user: {
              description: 'Only entries by the user with this id.',
              example: '4f6e2c9b7a1d',
            },
            action: { description: 'Only entries with this action.', example: 'update' },
          },
          example: [
            {
              id: 2,
              userId: '4f6e2c9b7a1d',
              userName: 'Ada',
              action: 'update',
              domain: 'app.example.org',
              diff: '{"old":{"upstream":"127.0.0.1:8000"},"new":{"upstream":"127.0.0.1:8001"}}',
              enabled: null,
              createdAt: '2026-11-20T19:00:00.000Z',
              via: null,
            },
          ],
        }),
      },
    )
    .post(
      '/:id/revert',
      async ({ params, who }) => {
        const entry = changelog.find(idOf(params, 'entry'));
        try {
          const { behind } = await publisher.apply(revertChange(entry), authorOf(who));
          return { success: true as const, ...lacking(behind) };
        } catch (error) {
          if (!(error instanceof Failure) || error.code !== 'REVERT_CONFLICT') throw error;
          const changes = changelog.laterOf(entry);
          const detail = changes.length > 0 ? `changed since by ${changes.join(', ')}` : undefined;
          throw new Failure(error.code, error.message, { detail, changes });
        }
      },
      {
        params: IdParams,
        response: {
          200: Done,
          ...refusals(
            ...PUBLISHES,
            ...([
              'NOT_FOUND',
              'DOMAIN_TAKEN',
              'POLICY_TAKEN',
              'POLICY_IN_USE',
              'REVERT_CONFLICT',
            ] as const),
          ),
        },
        detail: about({
          id: 'revertChangelogEntry',
          tag: 'Changelog',
          summary: 'Undo a change, as a new change',
          access: 'write',
          params: INTEGER_ID,
          example: { success: true },
        }),
      },
    );
}
