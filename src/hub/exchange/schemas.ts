/** What several routes of this folder share: import on the wire, and examples for the API's description. */
import { t } from 'elysia';
import { render } from '../caddyfile/render.ts';
import type { SiteSet } from '../publish/vhost.ts';

export const ImportBody = t.Object(
  {
    proxyfile: t.String(),
    dryRun: t.Optional(t.Boolean()),
  },
  { title: 'ImportRequest' },
);

/** `id` is null if nothing was published. */
export const ImportAnswer = t.Object(
  {
    preamble: t.String(),
    vhosts: t.Array(
      t.Object({
        id: t.Union([t.Integer(), t.Null()]),
        domain: t.String(),
        config: t.String(),
        upstream: t.String(),
      }),
    ),
    skipped: t.Array(t.Object({ line: t.Integer(), reason: t.String() })),
    proxyfile: t.String(),
  },
  { title: 'ImportAnswer' },
);

export const proxyfileOf = ({ preamble, vhosts }: Pick<SiteSet, 'preamble' | 'vhosts'>): string =>
  render(preamble, vhosts).text;

export const PREAMBLE = '{\n\temail ada@example.org\n}';
export const SITE = {
  domain: 'app.example.org',
  config: 'reverse_proxy {upstream}',
  upstream: '127.0.0.1:8000',
};
export const PROXYFILE = 'app.example.org {\n\treverse_proxy 127.0.0.1:8000\n}\n';
