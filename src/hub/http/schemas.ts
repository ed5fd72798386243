/** Schemas that the responses of several features share. */
import { type Static, t } from 'elysia';

/** A point in time, as in every response. */
export const Timestamp = t.String({
  format: 'date-time',
  description: 'ISO 8601 UTC with milliseconds',
});

/** The response of a route with nothing else to say. */
export const Success = t.Object({ success: t.Literal(true) }, { title: 'Success' });

/** What a visitor of a live vhost would notice. */
export const Warning = t.Object(
  {
    code: t.String({ examples: ['UPSTREAM_DOWN'] }),
    message: t.String({ description: 'one sentence, for people' }),
  },
  { title: 'Warning' },
);
export type Warning = Static<typeof Warning>;
