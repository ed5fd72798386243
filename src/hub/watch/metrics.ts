/** The hub's metrics: what is counted as it happens; `collectors.ts` has what is looked up for each scrape. */
import type { Log } from '../../shared/log.ts';
import {
  type Collector,
  countRequests,
  createMetrics,
  type Metrics,
} from '../../shared/observe/metrics.ts';
import type { RequestSeen } from '../../shared/observe/requests.ts';
import type { SignInFailure } from '../auth/accounts/count-sign-ins.ts';
import { OUTCOMES, type PublishSeen } from '../publish/outcome.ts';

export type HubMetrics = Pick<Metrics, 'text' | 'contentType' | 'counter'> & {
  request(seen: RequestSeen): void;
  publish(seen: PublishSeen): void;
  signInFailed(reason: SignInFailure): void;
};

/** @param collectors look up values for each scrape; a feature adds one for its own metrics */
export function createHubMetrics(collectors: readonly Collector[], log: Log): HubMetrics {
  const metrics = createMetrics({ collectors, log });
  const publishes = metrics.counter(
    'signalbox_publishes_total',
    'Publishes sent to the agent; kind is change, or again when the stored set is published again after a fault.',
    ['outcome', 'kind'],
  );
  for (const outcome of OUTCOMES) publishes.inc({ outcome, kind: 'change' }, 0);
  const duration = metrics.histogram(
    'signalbox_publish_duration_seconds',
    'Time from rendering a publish until it is recorded or refused.',
    ['outcome'],
  );
  const changes = metrics.counter(
    'signalbox_published_changes_total',
    'Changes that are live and recorded.',
  );
  const failures = metrics.counter(
    'signalbox_sign_in_failures_total',
    'Failed sign-ins: wrong credentials, or too many attempts.',
    ['reason'],
  );
  for (const reason of ['credentials', 'rate_limited']) failures.inc({ reason }, 0);

  return {
    text: metrics.text,
    contentType: metrics.contentType,
    counter: metrics.counter,
    request: countRequests(metrics),

    publish({ outcome, milliseconds, changes: count }) {
      publishes.inc({ outcome, kind: count === 0 ? 'again' : 'change' });
      duration.observe({ outcome }, milliseconds / 1000);
      if (outcome === 'accepted') changes.inc(count);
    },

    signInFailed: (reason) => failures.inc({ reason }),
  };
}
