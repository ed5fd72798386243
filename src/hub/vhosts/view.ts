/** A vhost as the API shows it, its entity tag, and examples for the API's description. */
import { createHash } from 'node:crypto';
import { t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { Timestamp, Warning } from '../http/schemas.ts';
import type { Precondition } from '../publish/changes.ts';
import type { Vhost } from '../publish/vhost.ts';

export const VhostView = t.Object(
  {
    id: t.Integer(),
    domain: t.String(),
    config: t.String(),
    enabled: t.Boolean(),
    upstream: t.String(),
    policies: t.Array(t.String(), { description: 'by name, in order' }),
    tags: t.Array(t.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Vhost' },
);

/** The answer to a change. */
export const ChangedVhost = t.Composite(
  [
    VhostView,
    t.Object({
      warnings: t.Array(Warning, {
        description: 'what a visitor would notice, as far as that is known after 1.5 s',
      }),
    }),
  ],
  { title: 'ChangedVhost' },
);

export const VHOST = {
  id: 1,
  domain: 'app.example.org',
  config: 'reverse_proxy {upstream}',
  enabled: true,
  upstream: '127.0.0.1:8000',
  policies: [] as string[],
  tags: [] as string[],
  createdAt: '2026-11-20T18:00:00.000Z',
  updatedAt: '2026-11-20T18:00:00.000Z',
};

/** The same as the answer to a change. */
export const CHANGED = { ...VHOST, warnings: [] };

/** What creates `VHOST`. */
export const NEW_VHOST = {
  domain: VHOST.domain,
  config: VHOST.config,
  upstream: VHOST.upstream,
};

/** Leaves out the position, which is private; policies go by their names. */
export const viewVhost = ({ position: _, ...vhost }: Vhost) => ({
  ...vhost,
  policies: vhost.policies.map(({ name }) => name),
  tags: [...vhost.tags],
  createdAt: vhost.createdAt.toISOString(),
  updatedAt: vhost.updatedAt.toISOString(),
});

/** A strong entity tag (RFC 9110, 8.8.3) over all fields of a vhost. */
function etagOf(vhost: Vhost): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(viewVhost(vhost)))
    .digest('hex');
  return `"${digest.slice(0, 32)}"`;
}

/** Shows a vhost and sets its ETag. */
export function tagged(vhost: Vhost, set: { headers: Record<string, string | number> }) {
  set.headers.ETag = etagOf(vhost);
  return viewVhost(vhost);
}

/**
 * The precondition in an `If-Match` header (RFC 9110, 13.1.1); undefined if there is none.
 * The precondition throws Failure PRECONDITION_FAILED.
 */
export function preconditionOf(request: Request): Precondition | undefined {
  const header = request.headers.get('if-match')?.trim();
  if (!header || header === '*') return undefined;
  const tags = header.split(',').map((tag) => tag.trim());
  return (vhost) => {
    if (tags.includes(etagOf(vhost))) return;
    throw new Failure('PRECONDITION_FAILED', 'The site has changed since you read it.');
  };
}
