/** What the routes of doors take and answer. */
import { type Static, t } from 'elysia';
import { Outcome } from '../../hub/http/schemas.ts';
import { integer } from '../../shared/integer.ts';
import { OPENS } from './shared/opens.ts';
import { DAYS } from './wire.ts';

const OpensTo = (description: string) => t.UnionEnum(OPENS, { description });

const Count = (description: string) => integer({ minimum: 0, description });

export const CloseBody = t.Object(
  {
    vhosts: t.Array(integer({ minimum: 1 }), { minItems: 1, maxItems: 1_000 }),
    policy: t.Optional(
      t.String({
        description:
          'the name of the policy to put on them; if left out: one that lets in only private networks, which is made if there is none',
      }),
    ),
    dryRun: t.Optional(
      t.Boolean({ description: 'change nothing, and start a replay of who would have noticed' }),
    ),
  },
  { title: 'CloseDoors' },
);

export const DoorView = t.Object(
  {
    vhost: integer({ description: 'the id' }),
    domain: t.String(),
    opensTo: OpensTo(
      'who got in, in a trial: the most that any path let in. `networks`: only some addresses; `nobody`: also a site that is off; `unsure`: a trial cannot tell, so it may be anyone',
    ),
    proof: t.Object({
      path: t.String({
        description: 'where; `/*`: at a path that nobody knows; of several hosts, after the host',
      }),
      status: t.Union([integer(), t.Null()], {
        description: 'what came; 200 stands for the upstream, which is not asked; null: nothing',
      }),
    }),
    reason: t.Optional(t.String({ description: 'why it is unsure' })),
    paths: t.Array(t.Object({ path: t.String(), opensTo: OpensTo('who gets in there') }), {
      description: 'those that let in fewer',
    }),
    by: t.Array(t.String(), { description: 'the policies that decide who gets in' }),
    came: t.Object(
      {
        home: Count('from `private_ranges`'),
        outside: Count('from anywhere else'),
        signedIn: Count('who showed who they are'),
        refused: Count('who were never let in, and count nowhere else'),
        last: t.Union([t.String(), t.Null()], {
          description: 'when somebody was last let in, ISO 8601; null: never',
        }),
        incomplete: t.Optional(
          t.Literal(true, {
            description: 'there may have been more: the log, or a part of it, could not be read',
          }),
        ),
      },
      {
        description:
          'visitors, by address, as the access log has them; each counts once at every proxy, whatever names of the vhost they use',
      },
    ),
    proposal: t.Union(
      [
        t.Object({
          policy: t.Union([t.String(), t.Null()], { description: 'null: it will be made' }),
          operation: t.Object({ vhosts: CloseBody.properties.vhosts }),
        }),
        t.Null(),
      ],
      {
        description:
          'for a site that is open to anyone, and that nobody from outside used in at least 30 days: the body for `POST /doors/close`',
      },
    ),
  },
  { title: 'Door' },
);
export type DoorView = Static<typeof DoorView>;

export const DoorsQuery = t.Object({
  days: t.Optional(
    t.String({
      pattern: `^([1-9]|[1-8]\\d|${DAYS.most})$`,
      documented: { type: 'integer', minimum: DAYS.least, maximum: DAYS.most, default: DAYS.most },
      description: 'how far back the log is read',
      example: 90,
    }),
  ),
});

export const CloseAnswer = t.Composite(
  [
    t.Object({
      policy: t.String(),
      isNew: t.Boolean({ description: 'whether the policy was made for it' }),
      vhosts: t.Array(integer(), { description: 'those that did not have it' }),
      group: t.Optional(
        integer({ description: 'in the changelog: its undo takes all of it back' }),
      ),
      replay: t.Optional(
        t.String({ description: 'of a dry run that changes something: for `GET /replays/:id`' }),
      ),
    }),
    Outcome,
  ],
  { title: 'CloseAnswer' },
);
