/** Pieces of answers that several features share. */
import { t } from 'elysia';

export const Timestamp = t.String({
  format: 'date-time',
  description: 'ISO 8601 UTC with milliseconds',
});

export const Success = t.Object({ success: t.Literal(true) }, { title: 'Success' });
