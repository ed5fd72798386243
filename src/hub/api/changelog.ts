/** `/changelog`: who changed what, and undoing a change. */
import { Elysia, t } from 'elysia';
import { integer } from '../../shared/integer.ts';
import { authorOf, type Caller, isViewer, recordedAuthorOf } from '../auth/guard.ts';
import { IdParams, idOf } from '../http/params.ts';
import { UNDOES } from '../http/refusal-schemas.ts';
import { route } from '../http/route.ts';
import { Done, lacking, outcomeOf, Timestamp } from '../http/schemas.ts';
import type { Author } from '../model/changes.ts';
import { kindOf } from '../model/entities.ts';
import { createChangelog, type PublicEntry } from '../model/history/changelog.ts';
import { lineOf } from '../model/history/summary.ts';
import { type Undo, undoOfEntry, undoOfGroup } from '../model/history/undo.ts';
import type { ApiContext } from './context.ts';

const Action = t.Union([
  t.Literal('create'),
  t.Literal('update'),
  t.Literal('delete'),
  t.Literal('toggle'),
]);

export const ChangelogEntry = t.Object(
  {
    id: integer(),
    userId: t.String(),
    userName: t.String(),
    action: Action,
    domain: t.String(),
    diff: t.Union([t.String(), t.Null()], { description: 'null for viewers' }),
    enabled: t.Union([t.Boolean(), t.Null()], {
      description: 'the new state after a toggle; null for other actions',
    }),
    createdAt: Timestamp,
    via: t.Union([t.String(), t.Null()], { description: 'the API token that made the change' }),
    behind: t.Optional(t.Array(t.String(), { description: 'the agents that were unreachable' })),
    group: integer({ description: 'the same for all changes of one request' }),
  },
  { title: 'ChangelogEntry' },
);

export const ChangelogGroup = t.Object(
  {
    group: integer(),
    userId: t.String(),
    userName: t.String(),
    via: ChangelogEntry.properties.via,
    createdAt: Timestamp,
    summary: t.String({ description: 'what the request did, in one line for people' }),
    count: integer({ description: 'all its changes, also those that a filter leaves out' }),
    entries: t.Array(ChangelogEntry, {
      description: 'the first five of its changes that pass the filter',
    }),
  },
  { title: 'ChangelogGroup' },
);

const viewEntry = ({ behind, ...entry }: PublicEntry) => ({
  ...entry,
  ...lacking(behind ?? []),
  createdAt: entry.createdAt.toISOString(),
});

/** A viewer sees what was changed, but not how; and what people know of may quote a config. */
const seen = (entry: PublicEntry): PublicEntry => ({
  ...entry,
  domain: kindOf(entry.domain) === 'known' ? KNOWN_PROBLEM : entry.domain,
  diff: null,
});
const KNOWN_PROBLEM = '(problem …)';

const viewForViewers = (entry: PublicEntry) => viewEntry(seen(entry));

/** Others name the networks that were blocked. */
const summaryForViewers = ([first]: readonly PublicEntry[], count: number): string =>
  first ? lineOf(seen(first), count) : '';

/** Kept certificates are for owners. @param assertOwner as `Guard` has it @throws as `assertOwner` */
function authorOfUndo(who: Caller, { certificate }: Undo, assertOwner: () => void): Author {
  if (certificate === undefined) return { ...authorOf(who), isUndo: true };
  assertOwner();
  const event = { kind: 'certificate', target: certificate, detail: 'undone' } as const;
  return { ...recordedAuthorOf(who, event), isUndo: true };
}

export function changelogRoutes({ db, publisher, guard }: ApiContext) {
  const changelog = createChangelog(db);

  async function carryOut(undo: Undo, who: Caller, assertOwner: () => void) {
    const applied = await publisher.apply(undo.change, authorOfUndo(who, undo, assertOwner));
    return { success: true as const, ...outcomeOf(applied) };
  }

  return new Elysia({ name: 'changelog', prefix: '/changelog' })
    .use(guard)
    .get(
      '/',
      ({ query, who }) => {
        // By the words of a problem, which a viewer could guess.
        if (isViewer(who) && kindOf(query.domain ?? '') === 'known') return [];
        const before = query.before ? Number(query.before) : undefined;
        const filter = {
          before,
          group: query.group ? Number(query.group) : undefined,
          domain: query.domain || undefined,
          user: query.user || undefined,
          action: query.action || undefined,
        };
        const view = isViewer(who) ? viewForViewers : viewEntry;
        if (query.grouped !== 'true') return changelog.page(filter).map(view);
        return changelog.groups(filter).map(({ createdAt, entries, summary, ...group }) => ({
          ...group,
          summary: isViewer(who) ? summaryForViewers(entries, group.count) : summary,
          createdAt: createdAt.toISOString(),
          entries: entries.map(view),
        }));
      },
      route({
        id: 'listChangelog',
        tag: 'Changelog',
        summary: 'List accepted changes, newest first, 100 per page',
        access: 'read',
        query: t.Object({
          before: t.Optional(
            t.String({
              pattern: '^([1-9][0-9]{0,14})?$',
              description:
                'Only entries with a smaller id, or groups with a smaller number: the next page.',
              example: '101',
            }),
          ),
          group: t.Optional(
            t.String({
              pattern: '^([1-9][0-9]{0,14})?$',
              description: 'Only the entries of this group.',
              example: '2',
            }),
          ),
          grouped: t.Optional(
            t.Union([t.Literal('true'), t.Literal('false'), t.Literal('')], {
              description:
                '`true`: the changes of one request as one group, 100 groups per page, with the first five entries of each.',
            }),
          ),
          domain: t.Optional(
            t.String({
              maxLength: 4096,
              description: 'Only entries for this domain.',
              example: 'app.example.org',
            }),
          ),
          user: t.Optional(
            t.String({
              maxLength: 100,
              description: 'Only entries by the user with this id.',
              example: '4f6e2c9b7a1d',
            }),
          ),
          // Not a `UnionEnum`, which would default to its first value.
          action: t.Optional(
            t.Union([t.Literal(''), Action], {
              description: 'Only entries with this action.',
              example: 'update',
            }),
          ),
        }),
        returns: t.Array(t.Union([ChangelogEntry, ChangelogGroup])),
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
            group: 2,
          },
        ],
      }),
    )
    .post(
      '/groups/:id/revert',
      ({ params, who, assertOwner }) =>
        carryOut(undoOfGroup(changelog, idOf(params, 'group of changes')), who, assertOwner),
      route({
        id: 'revertChangelogGroup',
        tag: 'Changelog',
        summary: 'Undo all changes of one request, as one new change, or none',
        description:
          'In one publish. The new entries are a group as well, so that the undo can be undone.',
        access: 'write',
        params: IdParams,
        publishes: true,
        refuses: [...UNDOES, 'CHANGED_SINCE'],
        returns: Done,
        example: { success: true },
      }),
    )
    .post(
      '/:id/revert',
      ({ params, who, assertOwner }) =>
        carryOut(undoOfEntry(changelog, idOf(params, 'entry')), who, assertOwner),
      route({
        id: 'revertChangelogEntry',
        tag: 'Changelog',
        summary: 'Undo a change, as a new change',
        description: 'That of a kept certificate requires the session of an owner.',
        access: 'write',
        params: IdParams,
        publishes: true,
        refuses: UNDOES,
        returns: Done,
        example: { success: true },
      }),
    );
}
