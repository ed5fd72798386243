/** How the hub asks an agent for the icon of a site. */
import { type Static, t } from 'elysia';
import { integer } from '../../shared/integer.ts';
import type { BodyCall } from '../../shared/wire/call.ts';

/** `name` and `port`: of the site, as `CheckTarget` has them. `path`: of the icon, if a page named it. */
export const IconRequest = t.Object({
  name: t.String(),
  port: integer(),
  path: t.Union([t.String({ pattern: '^/', maxLength: 2_000 }), t.Null()]),
});

export const IconAnswer = t.Object({
  /** Whether the site answered: if not, it may have an icon later. */
  answered: t.Boolean(),
  /** In Base64; null: none was found. */
  icon: t.Union([t.String(), t.Null()]),
  /** Where the site's page says that its icon is, if that was not asked for yet. */
  path: t.Union([t.String(), t.Null()]),
});
export type IconAnswer = Static<typeof IconAnswer>;

/** Asks the site, with two requests at most. @throws Failure as a publish */
export const ICON: BodyCall<typeof IconRequest, typeof IconAnswer> = {
  path: '/proxy/icon',
  body: IconRequest,
  answer: IconAnswer,
  deadline: 10_000,
  limit: 256 * 1024,
  missing: 'The agent cannot ask for icons: it is of an older version.',
};
