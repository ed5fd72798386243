/** `/proxyfile` and `/export`: the configuration as a Caddyfile, and as one JSON document. */
import { Elysia, t } from 'elysia';
import type { Guard } from '../auth/guard.ts';
import { contextOf } from '../caddyfile/context.ts';
import { renderSite } from '../caddyfile/render.ts';
import { about } from '../http/about.ts';
import { READS, refusals } from '../http/refusal-schemas.ts';
import { findVhost } from '../model/vhost-changes.ts';
import type { Publisher } from '../publish/publisher.ts';
import { PROXYFILE, renderedOf } from './schemas.ts';
import { SNAPSHOT, Snapshot, snapshotOf } from './snapshot.ts';

export function exportRoutes({ publisher, guard }: { publisher: Publisher; guard: Guard }) {
  return new Elysia({ name: 'export' })
    .use(guard)
    .get(
      '/proxyfile',
      ({ query, set }) => {
        set.headers['content-type'] = 'text/plain; charset=utf-8';
        const all = publisher.setOf(query.agent);
        const version = publisher.version(query.agent);
        if (!query.vhost) return renderedOf(all, version).text;
        const vhost = findVhost(all, Number(query.vhost));
        return `${renderSite(vhost, () => contextOf(all.preamble, version)).text}\n`;
      },
      {
        query: t.Object({
          vhost: t.Optional(t.String({ pattern: '^([1-9][0-9]{0,14})?$' })),
          agent: t.Optional(t.String({ maxLength: 40 })),
        }),
        response: { 200: t.String(), ...refusals(...READS, 'NOT_FOUND') },
        detail: about({
          id: 'getProxyfile',
          tag: 'Configuration',
          summary: 'Get the published Caddyfile',
          access: 'read',
          params: {
            agent: {
              description: 'Only the part that this agent’s proxy serves.',
              example: 'local',
            },
            vhost: { description: 'Only the block of the vhost with this id.', example: '1' },
          },
          example: PROXYFILE,
        }),
      },
    )
    .get('/export', () => snapshotOf(publisher.current()), {
      response: { 200: Snapshot, ...refusals(...READS) },
      detail: about({
        id: 'exportConfiguration',
        tag: 'Configuration',
        summary: 'Export the preamble and all vhosts as one document',
        description: 'Does not contain accounts or the changelog.',
        access: 'read',
        example: SNAPSHOT,
      }),
    });
}
