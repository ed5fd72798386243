/** Import on the wire. */
import { t } from 'elysia';
import { ErrorBody } from '../../agent/wire.ts';
import { Refusals } from '../vhosts/routes.ts';

export const ImportBody = t.Object({
  proxyfile: t.String(),
  dryRun: t.Optional(t.Boolean()),
});

/** `id` is null where nothing was published. */
export const ImportAnswer = t.Object({
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
});

/** What a publish of a whole configuration may answer instead. */
export const Whole = { ...Refusals, 413: ErrorBody, 422: ErrorBody };
