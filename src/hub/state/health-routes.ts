/** `/health`: whether the hub responds, for anyone. */
import { Elysia } from 'elysia';
import { Health } from '../../shared/wire.ts';
import { about } from '../http/about.ts';
import { ANY, refusals } from '../http/refusal-schemas.ts';

export function healthRoutes() {
  return new Elysia({ name: 'health' }).get('/health', () => ({ status: 'ok' as const }), {
    response: { 200: Health, ...refusals(...ANY) },
    detail: about({
      id: 'getHealth',
      tag: 'Status',
      summary: 'Check that the hub responds',
      access: 'anyone',
      example: { status: 'ok' },
    }),
  });
}
