/** Counts attempts to deliver messages, for the metrics. */
import { DELIVERY_RESULTS, type DeliveryResult } from '../../shared/events.ts';
import { type Collector, counter } from '../../shared/observe/metrics.ts';
import { CHANNEL_KINDS, type ChannelKind } from './kinds/kinds.ts';

type Attempts = {
  count(kind: ChannelKind, result: DeliveryResult): void;
  collect: Collector;
};

export function createAttempts(): Attempts {
  const counts = CHANNEL_KINDS.flatMap((kind) =>
    DELIVERY_RESULTS.map((result) => ({ labels: { kind, result }, value: 0 })),
  );
  return {
    count(kind, result) {
      const one = counts.find(({ labels }) => labels.kind === kind && labels.result === result);
      if (one) one.value++;
    },
    collect: () => [
      counter(
        'signalbox_notifications_total',
        'Attempts to deliver a message or a digest; failed ones are repeated until the hub gives up.',
        counts,
      ),
    ],
  };
}
