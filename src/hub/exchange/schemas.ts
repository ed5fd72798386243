/** Import on the wire. */
import { t } from 'elysia';

export const ImportBody = t.Object(
  {
    proxyfile: t.String(),
    dryRun: t.Optional(t.Boolean()),
  },
  { title: 'ImportRequest' },
);

/** `id` is null where nothing was published. */
export const ImportAnswer = t.Object(
  {
    preamble: t.String(),
    vhosts: t.Array(
      t.Object({
        id: t.Union([t.Integer(), t.Null()]),
        domain: t.String(),
        config: t.String(),
        upstream: t.String(),
      }),
    ),
    skipped: t.Array(t.Object({ line: t.Integer(), reason: t.String() })),
    proxyfile: t.String(),
  },
  { title: 'ImportAnswer' },
);
