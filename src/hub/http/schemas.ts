/** Schemas that the responses of several features share. */
import { type Static, t } from 'elysia';

/** A point in time, as in every response. */
export const Timestamp = t.String({
  format: 'date-time',
  description: 'ISO 8601 UTC with milliseconds',
});

/** The response of a route with nothing else to say. */
export const Success = t.Object({ success: t.Literal(true) }, { title: 'Success' });

const Behind = {
  behind: t.Optional(
    t.Array(t.String(), {
      description:
        'the unreachable agents: their proxies serve their previous sites until the agents return',
    }),
  ),
};

/** What the answer to a change has besides. */
export const Lacking = t.Object(Behind);

/** The response to a change that has nothing else to say. */
export const Done = t.Object({ success: t.Literal(true), ...Behind }, { title: 'Done' });

/** The field that names who lacks a change, if anybody does. */
export const lacking = (behind: readonly string[]): { behind?: string[] } =>
  behind.length > 0 ? { behind: [...behind] } : {};

/** What a visitor of a live vhost would notice. */
export const Warning = t.Object(
  {
    code: t.String({ examples: ['UPSTREAM_DOWN'] }),
    message: t.String({ description: 'one sentence, for people' }),
  },
  { title: 'Warning' },
);
export type Warning = Static<typeof Warning>;

const Remaining = {
  warnings: t.Optional(
    t.Array(Warning, { description: 'websockets that stay open (`STILL_OPEN`), if there are any' }),
  ),
};

/** What the answer to a change has besides that may shut somebody out. */
export const StayingOpen = t.Object(Remaining);

/** The field that says so, if there is anything to say. */
export const stayingOpen = (warnings: Warning[]): { warnings?: Warning[] } =>
  warnings.length > 0 ? { warnings } : {};

/** The response to a deleted vhost. */
export const Deleted = t.Object(
  {
    success: t.Literal(true),
    ...Behind,
    ...Remaining,
  },
  { title: 'DeletedVhost' },
);
