/**
 * What is live, asked often without filling the proxy's log: Caddy logs every admin request but
 * those for its metrics, and these tell when anything may have changed.
 */
import type { Admin } from './admin.ts';

/** Since when the process runs, and how often something other than a look came in. */
const TELLING =
  /^(?:process_start_time_seconds|caddy_admin_http_requests_total\{[^}]*method="(?!GET))/;

export function createWatch(admin: Admin) {
  let seen: { mark: string; digest: string | null } | null = null;

  return {
    /** The digest stamped on the live configuration, null where it has none. @throws AdminUnreachable */
    async liveDigest(): Promise<string | null> {
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
    },
  };
}
