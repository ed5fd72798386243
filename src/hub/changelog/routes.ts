/** `/changelog`: what was changed and by whom, and taking one change back. */
import { Elysia, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { authorOf, type Guard } from '../auth/guard.ts';
import { IdParams, idOf } from '../http/params.ts';
import { PUBLISHES, READS, refusals } from '../http/refusal-schemas.ts';
import { Success, Timestamp } from '../http/schemas.ts';
import { revertChange } from '../publish/history.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { Changelog } from './changelog.ts';
import * as operations from './operations.ts';

const ChangelogEntry = t.Object(
  {
    id: t.Integer(),
    userId: t.String(),
    userName: t.String(),
    action: t.Union([
      t.Literal('create'),
      t.Literal('update'),
      t.Literal('delete'),
      t.Literal('toggle'),
    ]),
    domain: t.String(),
    diff: t.Union([t.String(), t.Null()]),
    createdAt: Timestamp,
    via: t.Union([t.String(), t.Null()], { description: 'the API token it was made with' }),
  },
  { title: 'ChangelogEntry' },
);

export type ChangelogRoutesDeps = { changelog: Changelog; publisher: Publisher; guard: Guard };

export function changelogRoutes({ changelog, publisher, guard }: ChangelogRoutesDeps) {
  return new Elysia({ name: 'changelog', prefix: '/changelog' })
    .use(guard)
    .get(
      '/',
      ({ query }) => {
        const before = query.before ? Number(query.before) : undefined;
        return changelog.page({ before, domain: query.domain || undefined }).map((entry) => ({
          ...entry,
          createdAt: entry.createdAt.toISOString(),
        }));
      },
      {
        query: t.Object({
          before: t.Optional(t.String({ pattern: '^([1-9][0-9]{0,14})?$' })),
          domain: t.Optional(t.String({ maxLength: 4096 })),
        }),
        response: { 200: t.Array(ChangelogEntry), ...refusals(...READS) },
        detail: operations.listChangelog,
      },
    )
    .post(
      '/:id/revert',
      async ({ params, who }) => {
        const entry = changelog.find(idOf(params, 'entry'));
        try {
          await publisher.apply(revertChange(entry), authorOf(who));
        } catch (error) {
          if (!(error instanceof Failure) || error.code !== 'REVERT_CONFLICT') throw error;
          const later = changelog.laterOf(entry);
          const detail = later.length > 0 ? `changed since by ${later.join(', ')}` : undefined;
          throw new Failure(error.code, error.message, { detail });
        }
        return { success: true as const };
      },
      {
        params: IdParams,
        response: {
          200: Success,
          ...refusals(...PUBLISHES, 'NOT_FOUND', 'DOMAIN_TAKEN', 'REVERT_CONFLICT'),
        },
        detail: operations.revertChangelogEntry,
      },
    );
}
