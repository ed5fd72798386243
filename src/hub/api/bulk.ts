/** `/vhosts/bulk`: several changes in one publish. */
import { Elysia, t } from 'elysia';
import { jsonBody } from '../../shared/json-body.ts';
import { authorOf } from '../auth/guard.ts';
import { about, DEMANDS } from '../http/about.ts';
import { ChangeQuery, demandsOf } from '../http/params.ts';
import { BODY, PUBLISHES, refusals } from '../http/refusal-schemas.ts';
import { Lacking, lacking, Success } from '../http/schemas.ts';
import { sequence } from '../model/changes.ts';
import { changeOf, Operation } from '../model/operation.ts';
import { createReadPorts } from '../publish/ports.ts';
import type { ApiContext } from './context.ts';
import { CHANGED, ChangedVhost, NEW_VHOST, Unreached, unreached, viewVhost } from './vhost-view.ts';

const MAX_OPERATIONS = 1_000;

export function vhostBulkRoutes({ publisher, warningsAfter, guard, bodyLimit }: ApiContext) {
  const readPorts = createReadPorts({ publisher });
  return new Elysia({ name: 'vhost-bulk', prefix: '/vhosts' })
    .use(guard)
    .use(jsonBody(bodyLimit))
    .post(
      '/bulk',
      async ({ body, query, who }) => {
        const change = sequence(body.operations.map(changeOf));
        const { result: results, behind } = await publisher.apply(
          change,
          authorOf(who),
          demandsOf(query),
        );
        const vhosts = results.flatMap((one) => ('success' in one ? [] : [one]));
        const warnings = await warningsAfter(vhosts);
        return {
          results: results.map((one) =>
            'success' in one
              ? one
              : {
                  ...viewVhost(one, publisher.current()),
                  warnings: warnings.get(one.id) ?? [],
                },
          ),
          ...lacking(behind),
          ...(await unreached([...warnings.values()].flat(), readPorts)),
        };
      },
      {
        query: ChangeQuery,
        body: t.Object({ operations: t.Array(Operation, { maxItems: MAX_OPERATIONS }) }),
        response: {
          200: t.Composite([
            Lacking,
            Unreached,
            t.Object({ results: t.Array(t.Union([ChangedVhost, Success])) }),
          ]),
          ...refusals(...PUBLISHES, ...BODY, 'NOT_FOUND', 'DOMAIN_TAKEN'),
        },
        detail: about({
          id: 'bulkVhosts',
          tag: 'Vhosts',
          summary: 'Make several changes in one publish, all or nothing',
          access: 'write',
          params: DEMANDS,
          bodies: {
            several: {
              value: {
                operations: [
                  { op: 'create', ...NEW_VHOST },
                  { op: 'toggle', id: 2 },
                  { op: 'delete', id: 3 },
                ],
              },
            },
          },
          example: {
            results: [CHANGED, { ...CHANGED, id: 2, domain: 'b.example.org' }, { success: true }],
          },
        }),
      },
    );
}
