/** `/metrics`, which hub and agent answer alike. */
import { type Context, type DocumentDecoration, Elysia, type TSchema } from 'elysia';
import { Failure } from '../../../shared/failure.ts';

type MetricsRouteDeps = {
  contentType: string;
  /** All metrics as they are now. */
  text: () => Promise<string>;
  /** Whether a request was made on this machine, or carries a valid token. */
  isTrusted: (request: Request) => boolean;
  /** Describes the route in the OpenAPI document. */
  docs?: { response: Record<number, TSchema>; detail: DocumentDecoration };
};

const METRICS_PATH = '/metrics';

const NO_DOCS = { response: {}, detail: {} };

/**
 * The route `/metrics` as a plugin, for Prometheus with a bearer token. Without one it answers only
 * requests made on this machine.
 */
export function metricsRoute({ contentType, text, isTrusted, docs = NO_DOCS }: MetricsRouteDeps) {
  const answer = async ({ request, set }: Pick<Context, 'request' | 'set'>) => {
    if (!isTrusted(request)) {
      set.headers['WWW-Authenticate'] = 'Bearer';
      throw new Failure('UNAUTHENTICATED', 'A valid token is required.');
    }
    set.headers['Content-Type'] = contentType;
    set.headers['Cache-Control'] = 'no-store';
    return text();
  };
  return new Elysia({ name: 'metrics' }).get(METRICS_PATH, answer, docs);
}
