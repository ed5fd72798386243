/** The metrics of what is shipped to a log engine. */
import { counter, type Family, gauge } from '../../../src/shared/observe/metrics.ts';
import type { Shipper } from './shipper.ts';

/** How far the access log has been shipped; zeros if it is not. */
export async function collectShipping(
  shipper: Pick<Shipper, 'counts' | 'lag'> | null,
): Promise<readonly Family[]> {
  const { shipped = 0, refused = 0, failures = 0 } = shipper?.counts() ?? {};
  const { seconds = 0, bytes = 0 } = (await shipper?.lag()) ?? {};
  return [
    counter(
      'signalbox_log_ship_entries_total',
      'Entries of the access log that the log engine has accepted or refused.',
      [
        { labels: { outcome: 'accepted' }, value: shipped },
        { labels: { outcome: 'refused' }, value: refused },
      ],
    ),
    counter(
      'signalbox_log_ship_failures_total',
      'Failed attempts to ship the access log; each is repeated.',
      failures,
    ),
    gauge(
      'signalbox_log_ship_lag_seconds',
      'Age of the oldest entry that waits for the log engine.',
      seconds,
    ),
    gauge(
      'signalbox_log_ship_lag_bytes',
      'Bytes of the access log that are not shipped yet, uncompressed.',
      bytes,
    ),
  ];
}
