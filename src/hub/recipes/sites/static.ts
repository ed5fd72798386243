/** `static`: serves files of a folder. */
import { t } from 'elysia';
import { defineRecipe } from '../define.ts';
import { compress, compressing, flag } from '../fields.ts';
import { quoted } from '../quote.ts';

export const staticFiles = defineRecipe({
  id: 'static',
  kind: 'site',
  title: 'Files',
  description:
    'Serves the files of a folder. Files whose names begin with .git, .env or .ht are not shown.',
  fields: t.Object(
    {
      root: t.String({
        title: 'Folder',
        description: 'the folder on the proxy’s machine; Caddy’s user must be allowed to read it',
        format: 'folder',
        maxLength: 1_000,
        examples: ['/srv/www'],
      }),
      fallback: t.Optional(
        t.String({
          title: 'Page for unknown paths',
          description: 'what to show for a path without a file; single-page apps need /index.html',
          format: 'file-path',
          maxLength: 200,
          examples: ['/index.html'],
        }),
      ),
      browse: flag({
        title: 'Folder lists',
        description: 'whether folders without an index.html show a list of their files',
      }),
      compress,
    },
    { additionalProperties: false },
  ),
  needs: { modules: ['http.handlers.file_server'] },
  example: { root: '/srv/www' },
  write: ({ root, fallback, browse = false, compress }) => [
    { text: `root * ${quoted(root)}`, field: 'root' },
    ...compressing(compress),
    ...(fallback === undefined
      ? []
      : [{ text: `try_files {path} ${fallback}`, field: 'fallback' }]),
    `file_server${browse ? ' browse' : ''} {`,
    '\thide .git* .env* .ht*',
    '}',
  ],
});
