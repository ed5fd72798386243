/** What the hub knows by itself: its vhosts, problems and incidents. */
import type { Publisher } from '../../hub/publish/publisher.ts';
import type { ProblemView } from '../../hub/watch/problem.ts';
import { EVENT_NAMES, type EventName } from '../../shared/events.ts';
import type { Family } from '../../shared/observe/metrics.ts';
import { gauge } from './gauge.ts';

/** How many problems the last look found: as many as the status lists. */
export const collectProblems = (
  problems: readonly Pick<ProblemView, 'level' | 'known'>[],
): Family[] => [
  {
    name: 'signalbox_problems',
    help: 'Current problems, as listed by /api/status, without those that are known.',
    type: 'gauge',
    samples: (['bad', 'warn'] as const).map((level) => ({
      labels: { level },
      value: problems.filter((one) => one.level === level && !one.known).length,
    })),
  },
];

/** @param open how many are, by event */
export function collectIncidents(open: ReadonlyMap<EventName, number>): Family[] {
  return [
    {
      name: 'signalbox_incidents_open',
      help: 'Unresolved incidents.',
      type: 'gauge',
      samples: EVENT_NAMES.map((event) => ({ labels: { event }, value: open.get(event) ?? 0 })),
    },
  ];
}

/** Stored vhosts and pending changes; asks neither agent nor proxy. */
export function collectVhosts(publisher: Publisher): readonly Family[] {
  const { vhosts } = publisher.current();
  const enabled = vhosts.filter((vhost) => vhost.enabled).length;
  const last = publisher.lastPublish();
  return [
    {
      name: 'signalbox_vhosts',
      help: 'Stored vhosts.',
      type: 'gauge',
      samples: [
        { labels: { enabled: 'true' }, value: enabled },
        { labels: { enabled: 'false' }, value: vhosts.length - enabled },
      ],
    },
    gauge(
      'publish_queue_length',
      'Changes without a response yet, including those being published.',
      publisher.queueLength(),
    ),
    ...(last === null
      ? []
      : [
          gauge(
            'last_publish_timestamp_seconds',
            'When the last change went live.',
            last.at.getTime() / 1000,
          ),
        ]),
  ];
}
