/** Schemas that the responses of several features share. */
import { t } from 'elysia';

/** A point in time, as in every response. */
export const Timestamp = t.String({
  format: 'date-time',
  description: 'ISO 8601 UTC with milliseconds',
});

/** The response of a route with nothing else to say. */
export const Success = t.Object({ success: t.Literal(true) }, { title: 'Success' });
