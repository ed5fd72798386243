/** The Caddy that tests start: the first on the PATH. `npm test` runs them on a newer one as well. */
import { join } from 'node:path';
import { findCaddies, pidFileOf } from '../../agent/caddy/processes.ts';

const [version = ''] =
  /\d[^ \n]*/.exec(Bun.spawnSync(['caddy', 'version']).stdout.toString()) ?? [];

/** Whether it is one of these versions, such as `>=2.7.0`. */
export const caddyIs = (range: string): boolean => Bun.semver.satisfies(version, range);

/** The managed Caddys that run for a data folder. */
export const caddiesOf = (dataDir: string, bin = 'caddy') =>
  findCaddies(pidFileOf(join(dataDir, 'caddy')), bin);
