/** `/metrics`, which hub and agent answer alike. */
import { type Context, type DocumentDecoration, Elysia, type TSchema } from 'elysia';
import { Failure } from '../../../shared/failure.ts';
import type { Collector } from '../../../shared/observe/metrics.ts';
import type { Registry } from './registry.ts';

const METRICS_PATH = '/metrics';

/** Describes the route in the OpenAPI document. */
type Docs = { response: Record<number, TSchema>; detail: DocumentDecoration };
const NO_DOCS: Docs = { response: {}, detail: {} };

/**
 * The route `/metrics` as a plugin, for Prometheus with a bearer token. Without one it answers only
 * requests made on this machine.
 * @param isTrusted whether a request was made on this machine, or carries a valid token
 */
export function metricsRoute(
  registry: Registry,
  collectors: readonly Collector[],
  isTrusted: (request: Request) => boolean,
  docs = NO_DOCS,
) {
  const answer = async ({ request, set }: Pick<Context, 'request' | 'set'>) => {
    if (!isTrusted(request)) {
      set.headers['WWW-Authenticate'] = 'Bearer';
      throw new Failure('UNAUTHENTICATED', 'A valid token is required.');
    }
    set.headers['Content-Type'] = registry.contentType;
    set.headers['Cache-Control'] = 'no-store';
    return registry.text(collectors);
  };
  return new Elysia({ name: 'metrics' }).get(METRICS_PATH, answer, docs);
}
