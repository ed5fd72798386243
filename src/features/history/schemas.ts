/** What the routes of a moment take and answer. */
import { type Static, t } from 'elysia';
import { Outcome, Replaying, Timestamp } from '../../hub/http/schemas.ts';
import { integer } from '../../shared/integer.ts';
import { LOG_FILTERS } from '../../shared/patterns.ts';
import { Check } from '../../shared/wire/checks.ts';

export const Time = t.String({
  ...LOG_FILTERS.from,
  minLength: 1,
  description: 'ISO 8601: a date, or date and time; UTC unless it has a zone',
  example: '2026-11-24T18:00:00Z',
});

export const Differences = t.Array(
  t.Object({
    op: t.Union([t.Literal('create'), t.Literal('update'), t.Literal('delete')]),
    kind: t.UnionEnum(['site', 'policy', 'options', 'certificate'], {
      description: '`options`: those of Caddy, of one proxy or, without a name, of all',
    }),
    name: t.String(),
    id: t.Optional(integer({ description: 'absent for options' })),
    fields: t.Array(t.String(), { description: 'that an update changes' }),
  }),
);

export const DIFFERENCE = {
  op: 'update',
  kind: 'site',
  name: 'app.example.org',
  id: 1,
  fields: ['upstream'],
};

/** As a file for `signalbox apply` has it, with its id then. */
const Site = t.Object({
  id: integer(),
  domain: t.String(),
  enabled: t.Boolean(),
  upstream: t.Optional(t.String()),
  config: t.Optional(t.String()),
  policies: t.Optional(t.Array(t.String())),
  except: t.Optional(t.Array(t.String())),
  tags: t.Optional(t.Array(t.String())),
  agents: t.Optional(t.Array(t.String())),
  check: t.Optional(t.Union([Check, t.Null()])),
  source: t.Optional(t.Union([t.String(), t.Null()])),
});

const Policy = t.Object({
  id: integer(),
  name: t.String(),
  recipe: t.String(),
  values: t.Record(t.String(), t.Unknown(), {
    description: 'without passwords and their hashes, which come back all the same',
  }),
  everywhere: t.Boolean(),
  source: t.Union([t.String(), t.Null()]),
});

export const MomentView = t.Object(
  {
    at: Timestamp,
    sites: t.Array(Site, {
      description: 'in the order of the Caddyfile; for viewers only ids, domains and states',
    }),
    policies: t.Array(Policy, { description: 'empty for viewers, as is what follows' }),
    preamble: t.String({ description: 'the options of Caddy for all proxies' }),
    agents: t.Array(t.Object({ name: t.String(), preamble: t.Union([t.String(), t.Null()]) }), {
      description: 'those that are there now, with the options that they had of their own then',
    }),
    certificates: t.Array(t.String(), { description: 'the names of kept certificates' }),
    changes: t.Array(integer(), {
      description: 'the groups of changes since, newest first, at most 100',
    }),
  },
  { title: 'Moment' },
);

export const RestoreBody = t.Object(
  {
    at: Time,
    vhosts: t.Optional(
      t.Array(integer({ minimum: 1 }), {
        minItems: 1,
        maxItems: 10_000,
        description:
          'the ids, at that moment, of the only sites to bring back; with the policies of theirs that were deleted since',
      }),
    ),
    dryRun: t.Optional(t.Boolean({ description: 'plan and check it, and change nothing' })),
    replay: t.Optional(
      t.Boolean({ description: 'with `dryRun`: start a replay of it, for `GET /replays/:id`' }),
    ),
  },
  { title: 'RestoreRequest' },
);

export const RestoreAnswer = t.Composite(
  [
    t.Object({
      changes: Differences,
      diff: t.String({ description: 'of the Caddyfile, in the format of `diff -u`' }),
      left: t.Array(t.Object({ name: t.String(), reason: t.String() }), {
        description: 'what cannot be what it was, and stays as it is',
      }),
      published: t.Boolean({ description: 'whether the proxies got, or would get, any of it' }),
      group: t.Optional(
        integer({ description: 'in the changelog: its undo takes all of it back' }),
      ),
    }),
    Outcome,
    Replaying,
  ],
  { title: 'RestoreAnswer' },
);

export type Moment = Static<typeof MomentView>;
export type Restoration = Static<typeof RestoreAnswer>;
