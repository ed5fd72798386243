/** `/metrics`, for Prometheus with a bearer token and for whoever is on this machine. */
import { Elysia } from 'elysia';
import { Failure } from '../failure.ts';
import { isFromHere } from '../loopback.ts';
import type { Metrics } from './metrics.ts';

export type MetricsRoutesDeps = {
  metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Whether a request carries a token that is good for it. */
  hasToken: (request: Request) => boolean;
  /** The address at the other end of a request's socket. */
  peerOf: (request: Request) => string;
};

export const METRICS_PATH = '/metrics';

export function metricsRoutes({ metrics, hasToken, peerOf }: MetricsRoutesDeps) {
  return new Elysia({ name: 'metrics' }).get(METRICS_PATH, async ({ request, set }) => {
    if (!isFromHere(request, peerOf(request)) && !hasToken(request)) {
      set.headers['WWW-Authenticate'] = 'Bearer';
      throw new Failure('UNAUTHENTICATED', 'A valid token is needed.');
    }
    set.headers['Content-Type'] = metrics.contentType;
    set.headers['Cache-Control'] = 'no-store';
    return metrics.text();
  });
}
