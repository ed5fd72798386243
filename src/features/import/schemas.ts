/** Import on the wire. */
import { type Static, t } from 'elysia';
import { Outcome, Replaying } from '../../hub/http/schemas.ts';
import { integer } from '../../shared/integer.ts';

const Side = t.Union([t.Literal('keep'), t.Literal('file')]);

export const ImportBody = t.Object(
  {
    proxyfile: t.String(),
    dryRun: t.Optional(t.Boolean()),
    agent: t.Optional(
      t.String({
        description:
          'the agent whose proxy used the file: it gets the preamble as a separate one, and the sites are placed only on it',
      }),
    ),
    taken: t.Optional(
      t.Union([t.Literal('refuse'), t.Literal('skip'), t.Literal('replace')], {
        description:
          'for sites whose addresses other vhosts have, if they differ: `refuse` the import (the default), `skip` or `replace` them',
      }),
    ),
    replace: t.Optional(
      t.Array(t.String(), { description: 'domains of the file that are replaced in any case' }),
    ),
    preamble: t.Optional(
      t.Union([Side, t.Record(t.String(), Side)], {
        description:
          'which side wins where options or snippets differ, for all or by name; otherwise the import is refused, unless the hub has no vhosts yet',
      }),
    ),
  },
  { title: 'ImportRequest' },
);

/** What an import makes of what is there already; a dry run says what it would make. */
const MergeView = t.Object({
  sites: t.Array(
    t.Object({
      domain: t.String(),
      action: t.Union([
        t.Literal('create'),
        t.Literal('keep'),
        t.Literal('skip'),
        t.Literal('replace'),
      ]),
      vhosts: t.Array(t.Object({ id: integer(), domain: t.String(), enabled: t.Boolean() }), {
        description: 'the vhosts that have its addresses',
      }),
      diff: t.String({ description: 'from their blocks to the block of the file' }),
    }),
    { description: 'the sites of the file; `keep`: the same vhost already exists' },
  ),
  preamble: t.Array(
    t.Object({
      name: t.String({ description: 'of an option, a `(snippet)` or a `&(named route)`' }),
      state: t.UnionEnum(['same', 'differs', 'new', 'kept'], {
        description: '`new`: only in the file; `kept`: only on the hub',
      }),
      side: t.UnionEnum(['keep', 'file'], {
        description: 'the side that is used',
      }),
      diff: t.String({ description: 'from the text of the hub to that of the file' }),
    }),
  ),
});
export type MergeView = Static<typeof MergeView>;

/** `id` is null if nothing was published. */
export const ImportAnswer = t.Composite(
  [
    t.Object({
      preamble: t.String(),
      vhosts: t.Array(
        t.Object({
          id: t.Union([integer(), t.Null()]),
          domain: t.String(),
          config: t.String(),
          upstream: t.String(),
        }),
      ),
      skipped: t.Array(t.Object({ line: integer(), reason: t.String() })),
      proxyfile: t.String(),
      merge: MergeView,
    }),
    Outcome,
    Replaying,
  ],
  { title: 'ImportAnswer' },
);
export type ImportAnswer = Static<typeof ImportAnswer>;
