/** A vhost on the wire, and the tag that says which state of it somebody saw. */
import { createHash } from 'node:crypto';
import { t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { Timestamp } from '../http/schemas.ts';
import type { Precondition } from '../publish/changes.ts';
import type { Vhost } from '../publish/vhost.ts';

export const VhostView = t.Object(
  {
    id: t.Integer(),
    domain: t.String(),
    config: t.String(),
    enabled: t.Boolean(),
    upstream: t.String(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Vhost' },
);

export const viewVhost = ({ position: _, ...vhost }: Vhost) => ({
  ...vhost,
  createdAt: vhost.createdAt.toISOString(),
  updatedAt: vhost.updatedAt.toISOString(),
});

/** A strong entity tag (RFC 9110, 8.8.3) of all that a vhost is. */
export function etagOf(vhost: Vhost): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(viewVhost(vhost)))
    .digest('hex');
  return `"${digest.slice(0, 32)}"`;
}

/**
 * What an `If-Match` header asks for (RFC 9110, 13.1.1); undefined where there is none.
 * The precondition throws Failure PRECONDITION_FAILED.
 */
export function preconditionOf(request: Request): Precondition | undefined {
  const header = request.headers.get('if-match')?.trim();
  if (!header || header === '*') return undefined;
  const tags = header.split(',').map((tag) => tag.trim());
  return (vhost) => {
    if (tags.includes(etagOf(vhost))) return;
    throw new Failure('PRECONDITION_FAILED', 'The vhost has been changed since it was read.');
  };
}
