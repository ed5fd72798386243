/** What the hub counts as it happens: publishes, requests and failed sign-ins. */
import type { HubObserver } from '../../hub/core.ts';
import { OUTCOMES } from '../../hub/publish/target/outcome.ts';
import { countRequests, type Registry } from './shared/registry.ts';

export function createCounts(registry: Registry): HubObserver {
  const publishes = registry.counter(
    'signalbox_publishes_total',
    'Publishes sent to the agent; kind is change, or again when the stored set is published again after a fault.',
    ['outcome', 'kind'],
  );
  for (const outcome of OUTCOMES) publishes.inc({ outcome, kind: 'change' }, 0);
  const duration = registry.histogram(
    'signalbox_publish_duration_seconds',
    'Time from rendering a publish until it is recorded or refused.',
    ['outcome'],
  );
  const changes = registry.counter(
    'signalbox_published_changes_total',
    'Changes that are live and recorded.',
  );
  const failures = registry.counter(
    'signalbox_sign_in_failures_total',
    'Failed sign-ins: wrong credentials, or too many attempts.',
    ['reason'],
  );
  for (const reason of ['credentials', 'rate_limited']) failures.inc({ reason }, 0);

  return {
    request: countRequests(registry),

    publish({ outcome, milliseconds, changes: count }) {
      publishes.inc({ outcome, kind: count === 0 ? 'again' : 'change' });
      duration.observe({ outcome }, milliseconds / 1000);
      if (outcome === 'accepted') changes.inc(count);
    },

    signInFailed: (reason) => failures.inc({ reason }),
  };
}
