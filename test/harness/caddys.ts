/** The Caddy that tests start: the first on the PATH. `npm test` runs them on a newer one as well. */
import { dirname, join } from 'node:path';
import { findCaddies } from '../../agent/caddy/process/processes.ts';

const [version = ''] =
  /\d[^ \n]*/.exec(Bun.spawnSync(['caddy', 'version']).stdout.toString()) ?? [];

/** Whether it is one of these versions, such as `>=2.7.0`. */
export const caddyIs = (range: string): boolean => Bun.semver.satisfies(version, range);

/** The newer Caddy, if CADDY_NEXT is set. */
export const NEXT = process.env.CADDY_NEXT || null;
const others = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => NEXT === null || folder !== dirname(NEXT));

/** Both Caddys, for tests that need the two at once; the newer one only if CADDY_NEXT is set. */
export const CADDYS = [Bun.which('caddy', { PATH: others.join(':') }), NEXT].flatMap((bin) =>
  bin ? [{ name: bin, bin }] : [],
);

/** The newest Caddy, if CADDY_HEAD is set: built from source, it may say and do what no release does yet. */
export const HEAD = process.env.CADDY_HEAD || null;

/** Both, and the newest. */
export function allCaddys(): typeof CADDYS {
  if (HEAD !== null) return [...CADDYS, { name: HEAD, bin: HEAD }];
  console.log('Without CADDY_HEAD, the newest Caddy is left out.');
  return CADDYS;
}

/** The version of a Caddy, such as `2.6.2`. */
export const versionOf = (bin: string): string =>
  /\d+\.\d+\.\d+/.exec(Bun.spawnSync([bin, 'version']).stdout.toString())?.[0] ?? '';

/** The managed Caddys that run for a data folder. */
export const caddiesOf = (dataDir: string, bin = 'caddy') =>
  findCaddies(join(dataDir, 'caddy'), bin);

/** Sends a signal to all of them, but those that end at that moment. */
export function signalCaddies(dataDir: string, signal: NodeJS.Signals): void {
  for (const { pid } of caddiesOf(dataDir)) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
