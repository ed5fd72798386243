/** `/metrics`, for Prometheus with a bearer token and for whoever is on this machine. */
import { type Context, type DocumentDecoration, Elysia, type TSchema } from 'elysia';
import { Failure } from '../failure.ts';
import { isFromHere } from '../loopback.ts';
import type { Metrics } from './metrics.ts';

export type MetricsRoutesDeps = {
  metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Whether a request carries a token that is good for it. */
  hasToken: (request: Request) => boolean;
  /** The address at the other end of a request's socket. */
  peerOf: (request: Request) => string;
  /** What the route says of itself where somebody describes it. */
  told?: { response: Record<number, TSchema>; detail: DocumentDecoration };
};

export const METRICS_PATH = '/metrics';

const UNTOLD = { response: {}, detail: {} };

export function metricsRoutes({ metrics, hasToken, peerOf, told = UNTOLD }: MetricsRoutesDeps) {
  const answer = async ({ request, set }: Pick<Context, 'request' | 'set'>) => {
    if (!isFromHere(request, peerOf(request)) && !hasToken(request)) {
      set.headers['WWW-Authenticate'] = 'Bearer';
      throw new Failure('UNAUTHENTICATED', 'A valid token is needed.');
    }
    set.headers['Content-Type'] = metrics.contentType;
    set.headers['Cache-Control'] = 'no-store';
    return metrics.text();
  };
  return new Elysia({ name: 'metrics' }).get(METRICS_PATH, answer, told);
}
