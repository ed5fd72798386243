/** `/metrics`, for Prometheus with a bearer token and for anyone on this machine. */
import { type Context, type DocumentDecoration, Elysia, type TSchema } from 'elysia';
import { Failure } from '../failure.ts';
import { isFromHere } from '../loopback.ts';
import type { Metrics } from './metrics.ts';

type MetricsRoutesDeps = {
  metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Whether a request carries a valid token. */
  hasToken: (request: Request) => boolean;
  /** The address at the other end of a request's socket. */
  peerOf: (request: Request) => string;
  /** Describes the route in the OpenAPI document. */
  docs?: { response: Record<number, TSchema>; detail: DocumentDecoration };
};

const METRICS_PATH = '/metrics';

const NO_DOCS = { response: {}, detail: {} };

/** The route as a plugin. Without a token it answers only requests made on this machine. */
export function metricsRoutes({ metrics, hasToken, peerOf, docs = NO_DOCS }: MetricsRoutesDeps) {
  const answer = async ({ request, set }: Pick<Context, 'request' | 'set'>) => {
    if (!isFromHere(request, peerOf(request)) && !hasToken(request)) {
      set.headers['WWW-Authenticate'] = 'Bearer';
      throw new Failure('UNAUTHENTICATED', 'A valid token is required.');
    }
    set.headers['Content-Type'] = metrics.contentType;
    set.headers['Cache-Control'] = 'no-store';
    return metrics.text();
  };
  return new Elysia({ name: 'metrics' }).get(METRICS_PATH, answer, docs);
}
