/** `/vhosts/icons`: which vhosts have an icon; `/vhosts/:id/icon`: one of them. */
import { Elysia, t } from 'elysia';
import type { ApiCore } from '../../hub/core.ts';
import { IdParams, idOf } from '../../hub/http/params.ts';
import { isNamedBy } from '../../hub/http/responses.ts';
import { route } from '../../hub/http/route.ts';
import { Failure } from '../../shared/failure.ts';
import { integer } from '../../shared/integer.ts';
import type { Icons } from './icons.ts';

const VhostIcon = t.Object(
  { id: integer(), version: t.String({ description: 'another one for each icon' }) },
  { title: 'VhostIcon' },
);

export const iconRoutes = ({ guard }: ApiCore, icons: Icons) =>
  new Elysia({ name: 'icons', prefix: '/vhosts' })
    .use(guard)
    .get(
      '/icons',
      icons.list,
      route({
        id: 'listVhostIcons',
        tag: 'Vhosts',
        summary: 'Which vhosts have an icon',
        access: 'read',
        returns: t.Array(VhostIcon),
        example: [{ id: 1, version: '1x9q0c2k8z7f4' }],
      }),
    )
    .get(
      '/:id/icon',
      ({ params, request, set }) => {
        const icon = icons.of(idOf(params));
        if (!icon) throw new Failure('NOT_FOUND', 'The hub has no icon of this site.');
        const tag = `"${icon.version}"`;
        Object.assign(set.headers, HEADERS, { etag: tag, 'content-type': icon.type });
        if (isNamedBy(request, tag)) return new Response(null, { status: 304 });
        return new Response(new Uint8Array(icon.image));
      },
      route({
        id: 'getVhostIcon',
        tag: 'Vhosts',
        summary: 'The icon of a vhost',
        description:
          'As the site itself has it: PNG, or else ICO, JPEG, GIF or WebP, as its first bytes say; never SVG. With `version` of the list in the query, it can be kept for as long as a browser likes.',
        access: 'read',
        params: IdParams,
        query: t.Object({ version: t.Optional(t.String({ maxLength: 100, example: '' })) }),
        returns: t.Any({ description: 'the bytes of the image' }),
        mediaType: 'image/png',
        example: '(an image)',
        requestHeaders: ['If-None-Match'],
        responseHeaders: ['ETag'],
      }),
    );

/** It is somebody else's: nothing in it is ever run, wherever it is opened. */
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'private, max-age=31536000, immutable',
};
