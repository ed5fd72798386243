/** Refuses the one global option that signalbox sets itself. */
import { ADMIN_IS_OURS, findOption } from '../caddyfile/globals.ts';
import { preambleRejected } from '../publish/changes.ts';

/** @throws Failure PROXY_REJECTED with the line, if a preamble has an `admin` option */
export function assertNoAdmin(preamble: string): void {
  const admin = findOption(preamble, 'admin');
  if (admin) throw preambleRejected({ message: ADMIN_IS_OURS, line: admin.line });
}
