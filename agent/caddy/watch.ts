/**
 * Reads the live id often without filling the proxy's log: Caddy logs every admin request
 * except those for its metrics, and the metrics show when the configuration may have changed.
 */
import { within } from '../../src/shared/async.ts';
import { type Admin, AdminUnreachable } from './admin.ts';

export type Watch = {
  /**
   * The id stamped on the live configuration, or null if it has none. Concurrent callers share
   * one answer.
   * @throws AdminUnreachable
   */
  liveId(): Promise<string | null>;
  /** What changes when another process answers, as of the last look; empty if it does not say. */
  process(): string;
};

/** When the process started, and how many admin requests other than GET it has had. */
const RELEVANT =
  /^(?:process_start_time_seconds|caddy_admin_http_requests_total\{[^}]*method="(?!GET))/;

const STARTED = /^process_start_time_seconds .*$/m;

/** A load that hangs may hold up a read for half a minute; the hub waits ten seconds for the agent. */
const TIMEOUT_MS = 8_000;

export function createWatch(admin: Pick<Admin, 'metrics' | 'liveId'>): Watch {
  let last: { mark: string; id: string | null } | null = null;
  let reading: Promise<string | null> | null = null;
  let started = '';

  async function read(): Promise<string | null> {
    const metrics = await admin.metrics();
    started = STARTED.exec(metrics)?.[0] ?? '';
    const mark = metrics
      .split('\n')
      .filter((line) => RELEVANT.test(line))
      .join('\n');
    // A custom build may have no metrics.
    if (mark !== '' && last?.mark === mark) return last.id;
    const id = await admin.liveId();
    last = { mark, id };
    return id;
  }

  return {
    liveId() {
      reading ??= read().finally(() => {
        reading = null;
      });
      return within(reading, TIMEOUT_MS, () => {
        throw new AdminUnreachable('the admin endpoint is busy with another call');
      });
    },
    process: () => started,
  };
}
