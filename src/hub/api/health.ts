/** `/health`: whether the hub responds and can use its database, for anyone. */
import { Elysia } from 'elysia';
import { Health } from '../../shared/wire/protocol.ts';
import { about } from '../http/about.ts';
import { ANY, refusals } from '../http/refusal-schemas.ts';

/** @param assertUsable throws a Failure if the database is known to be damaged */
export function healthRoutes(assertUsable: () => void) {
  return new Elysia({ name: 'health' }).get(
    '/health',
    () => {
      assertUsable();
      return { status: 'ok' as const };
    },
    {
      response: { 200: Health, ...refusals(...ANY, 'DATABASE_UNUSABLE') },
      detail: about({
        id: 'getHealth',
        tag: 'Status',
        summary: 'Check that the hub responds',
        access: 'anyone',
        example: { status: 'ok' },
      }),
    },
  );
}
