/** Watches, records and sends: what the hub does while nobody is looking. */
import { DELIVERY_RESULTS, EVENT_NAMES } from '../../shared/events.ts';
import type { Log } from '../../shared/log.ts';
import type { Family, Metrics } from '../../shared/observe/metrics.ts';
import type { Db } from '../db/open.ts';
import type { Sealing } from '../db/sealing.ts';
import { createIncidents } from '../watch/incidents/incidents.ts';
import { createWatcher, type WatcherDeps } from '../watch/incidents/watcher.ts';
import type { Known } from '../watch/known.ts';
import type { Look } from '../watch/look.ts';
import type { ListProblems } from '../watch/problem-list.ts';
import type { Deliver } from './deliver.ts';
import { CHANNEL_KINDS } from './kinds/kinds.ts';
import { outbox } from './outbox.ts';
import { createSender } from './sender.ts';
import type { SendPace } from './sender-plan.ts';

export type NotificationsDeps = {
  db: Db;
  sealing: Sealing;
  /** The id of the hub. */
  hub: string;
  look: () => Promise<Look>;
  listProblems: ListProblems;
  known: Known;
  deliver: Deliver;
  metrics: Pick<Metrics, 'counter'>;
  pace: { watch: WatcherDeps['pace']; send: SendPace & { every: number } };
  now: () => Date;
  /** Milliseconds from a clock that is never set. */
  elapsed: () => number;
  log: Log;
};

export type Notifications = {
  begin(): void;
  /** Nothing is written once it has resolved. */
  stop(): Promise<void>;
  /** For the metrics. */
  collect(): readonly Family[];
};

export function createNotifications(deps: NotificationsDeps): Notifications {
  const { watch, send } = deps.pace;
  const isKnown = (problem: string) => deps.known.read().has(problem);
  const incidents = createIncidents({ db: deps.db, outbox, isKnown, pace: watch });
  const attempts = deps.metrics.counter(
    'signalbox_notifications_total',
    'Attempts to deliver a message or a digest; failed ones are repeated until the hub gives up.',
    ['kind', 'result'],
  );
  for (const kind of CHANNEL_KINDS) {
    for (const result of DELIVERY_RESULTS) attempts.inc({ kind, result }, 0);
  }
  const sender = createSender({
    ...{ ...deps, pace: send, seen: (kind, result) => attempts.inc({ kind, result }) },
  });
  const recorded = () => void sender.send();
  const watcher = createWatcher({ ...deps, pace: watch, incidents, recorded });

  return {
    begin() {
      sender.begin();
      watcher.begin();
    },
    stop() {
      watcher.stop();
      return sender.stop();
    },
    collect() {
      const open = incidents.open();
      return [
        {
          name: 'signalbox_incidents_open',
          help: 'Unresolved incidents.',
          type: 'gauge',
          samples: EVENT_NAMES.map((event) => ({ labels: { event }, value: open.get(event) ?? 0 })),
        },
      ];
    },
  };
}
