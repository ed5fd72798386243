/** The one global option that is not the operator's. */
import { Failure } from '../../shared/failure.ts';
import { globalOptions } from '../caddyfile/globals.ts';

/** @throws Failure PROXY_REJECTED where a preamble has an `admin` option, with its line */
export function assertNoAdmin(preamble: string): void {
  const admin = globalOptions(preamble).find(({ name }) => name === 'admin');
  if (!admin) return;
  throw new Failure('PROXY_REJECTED', 'This preamble cannot be published; nothing was changed.', {
    detail: 'admin: signalbox sets the admin endpoint itself',
    at: { line: admin.line },
  });
}
