/**
 * Reads the live digest often without filling the proxy's log: Caddy logs every admin request
 * except those for its metrics, and the metrics show when the configuration may have changed.
 */
import { within } from '../../src/shared/async.ts';
import { type Admin, AdminUnreachable, type LiveStamp } from './admin.ts';

export type Watch = {
  /**
   * What is stamped on the live configuration. Concurrent callers share one answer: calls to a proxy
   * that hangs run one after the other, each up to its timeout.
   * @throws AdminUnreachable
   */
  liveStamp(): Promise<LiveStamp>;
  /** Its digest alone, or null. @throws AdminUnreachable */
  liveDigest(): Promise<string | null>;
};

/** When the process started, and how many admin requests other than GET it has had. */
const RELEVANT =
  /^(?:process_start_time_seconds|caddy_admin_http_requests_total\{[^}]*method="(?!GET))/;

/** A load that hangs may hold up a read for half a minute; the hub waits ten seconds for the agent. */
const TIMEOUT_MS = 8_000;

export function createWatch(admin: Pick<Admin, 'metrics' | 'liveStamp'>): Watch {
  let last: { mark: string; stamp: LiveStamp } | null = null;
  let reading: Promise<LiveStamp> | null = null;

  async function read(): Promise<LiveStamp> {
    const metrics = await admin.metrics();
    const mark = metrics
      .split('\n')
      .filter((line) => RELEVANT.test(line))
      .join('\n');
    // A custom build may have no metrics.
    if (mark !== '' && last?.mark === mark) return last.stamp;
    const stamp = await admin.liveStamp();
    last = { mark, stamp };
    return stamp;
  }

  function liveStamp(): Promise<LiveStamp> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return within(reading, TIMEOUT_MS, () => {
      throw new AdminUnreachable('the admin endpoint is busy with another call');
    });
  }

  return { liveStamp, liveDigest: async () => (await liveStamp()).digest };
}
