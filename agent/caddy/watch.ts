/**
 * What is live, asked often without filling the proxy's log: Caddy logs every admin request but
 * those for its metrics, and these tell when anything may have changed.
 */
import { type Admin, AdminUnreachable } from './admin.ts';

/** Since when the process runs, and how often something other than a look came in. */
const TELLING =
  /^(?:process_start_time_seconds|caddy_admin_http_requests_total\{[^}]*method="(?!GET))/;

/** A load that hangs may hold a look up for half a minute; who asks the agent waits ten seconds. */
const PATIENCE_MS = 8_000;

export type Watch = ReturnType<typeof createWatch>;

export function createWatch(admin: Pick<Admin, 'metrics' | 'liveDigest'>) {
  let seen: { mark: string; digest: string | null } | null = null;

  let looking: Promise<string | null> | null = null;

  async function look(): Promise<string | null> {
    const metrics = await admin.metrics();
    const mark = metrics
      .split('\n')
      .filter((line) => TELLING.test(line))
      .join('\n');
    // Metrics may be missing from a build of somebody's own.
    if (mark !== '' && seen?.mark === mark) return seen.digest;
    const digest = await admin.liveDigest();
    seen = { mark, digest };
    return digest;
  }

  return {
    /**
     * The digest stamped on the live configuration, null where it has none. Who asks while another
     * waits hears the same: the calls to a proxy that hangs go one after the other, each up to its
     * deadline.
     * @throws AdminUnreachable
     */
    async liveDigest(): Promise<string | null> {
      looking ??= look().finally(() => {
        looking = null;
      });
      const { promise: late, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => reject(new AdminUnreachable('the admin endpoint is not done with another call')),
        PATIENCE_MS,
      );
      try {
        return await Promise.race([looking, late]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
