/** `/preamble`: the global options and snippets before the sites. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../shared/http.ts';
import { authorOf, type Guard } from '../auth/guard.ts';
import { about, REPLACE } from '../http/about.ts';
import { ReplaceQuery, replaces } from '../http/params.ts';
import { BODY, PUBLISHES, READS, refusals } from '../http/refusal-schemas.ts';
import { Timestamp } from '../http/schemas.ts';
import { preambleChange } from '../publish/changes.ts';
import type { Publisher } from '../publish/publisher.ts';
import { PREAMBLE } from './schemas.ts';

const PreambleView = t.Object({ config: t.String(), updatedAt: Timestamp }, { title: 'Preamble' });
const PreambleBody = t.Object({ config: t.String() }, { title: 'PreambleChange' });

const VIEW = { config: PREAMBLE, updatedAt: '2026-11-20T18:00:00.000Z' };

export type PreambleRoutesDeps = {
  publisher: Publisher;
  /** When the preamble was last changed. */
  preambleUpdatedAt: () => Date;
  guard: Guard;
  bodyLimit: number;
};

export function preambleRoutes(deps: PreambleRoutesDeps) {
  const { publisher, preambleUpdatedAt, guard, bodyLimit } = deps;
  const view = () => ({
    config: publisher.current().preamble,
    updatedAt: preambleUpdatedAt().toISOString(),
  });

  return new Elysia({ name: 'preamble' })
    .use(guard)
    .get('/preamble', view, {
      response: { 200: PreambleView, ...refusals(...READS) },
      detail: about({
        id: 'getPreamble',
        tag: 'Configuration',
        summary: 'Get the preamble: the global options and snippets before the sites',
        access: 'read',
        example: VIEW,
      }),
    })
    .use(jsonBody(bodyLimit))
    .put(
      '/preamble',
      async ({ body, query, who }) => {
        await publisher.apply(preambleChange(body.config), authorOf(who), replaces(query));
        return view();
      },
      {
        query: ReplaceQuery,
        body: PreambleBody,
        response: { 200: PreambleView, ...refusals(...PUBLISHES, ...BODY) },
        detail: about({
          id: 'updatePreamble',
          tag: 'Configuration',
          summary: 'Change the preamble and publish it',
          access: 'write',
          params: REPLACE,
          bodies: { email: { value: { config: PREAMBLE } } },
          example: VIEW,
        }),
      },
    );
}
