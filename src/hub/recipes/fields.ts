/** Fields that several recipes have. */
import { t } from 'elysia';
import { integer } from '../../shared/integer.ts';

type Words = { title: string; description: string };

/** In one list. */
export const MAX_NETWORKS = 2_000;
const MAX_TEXT = 2_000;

/** Addresses and networks, as Caddy's `remote_ip` takes them. */
export const networks = (words: Words, minItems = 1) =>
  t.Array(t.String({ format: 'network', maxLength: 64, examples: ['192.168.1.0/24'] }), {
    ...words,
    minItems,
    maxItems: MAX_NETWORKS,
    examples: [['private_ranges']],
  });

/** Where a service listens. */
export const upstream = (words: Words) =>
  t.String({ ...words, format: 'upstream', maxLength: 260, examples: ['localhost:9091'] });

/** The site's own upstream, if it is left out. */
export const siteUpstream = t.Optional(
  upstream({
    title: 'Service',
    description: 'where the service listens; if left out, the upstream of the site',
  }),
);

/** What `siteUpstream` becomes; the placeholder stands for the upstream of the vhost. */
export const dialled = (address: string | undefined): string => address ?? '{upstream}';

/** The status of a refusal. */
export const status = t.Optional(
  integer({
    title: 'Status',
    description:
      'of the response to those who are refused: 403 says so, 404 pretends that nothing is here',
    minimum: 400,
    maximum: 499,
    default: 403,
  }),
);

export const text = (words: Words, format: 'text' | 'textarea' = 'text') =>
  t.String({ ...words, format, minLength: 1, maxLength: MAX_TEXT });

export const flag = (words: Words, byDefault = false) =>
  t.Optional(t.Boolean({ ...words, default: byDefault }));

export const exemptNetworks = t.Optional(
  networks(
    {
      title: 'Exempt networks',
      description: 'addresses and networks that the policy does not apply to',
    },
    0,
  ),
);

export const exemptPaths = t.Optional(
  t.Array(t.String({ format: 'path', maxLength: 200, examples: ['/api/*'] }), {
    title: 'Exempt paths',
    description:
      'paths that are open to everyone; with a * at the end, all paths that begin like this. Case does not matter.',
    maxItems: 100,
  }),
);

/** What `encode` of Caddy does. */
export const compress = flag(
  { title: 'Compress', description: 'whether to compress responses with zstd or gzip' },
  true,
);

/** The line for `compress`. */
export const compressing = (wanted = true): string[] => (wanted ? ['encode zstd gzip'] : []);
