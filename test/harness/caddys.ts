/** The Caddys that a test runs with: the installed one and, if it exists, that in `CADDY_NEXT`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findCaddies } from '../../agent/caddy/processes.ts';

const next = process.env.CADDY_NEXT;

export const CADDYS: readonly { name: string; bin: string }[] = [
  { name: 'the installed Caddy', bin: 'caddy' },
  ...(next && existsSync(next) ? [{ name: 'the next Caddy', bin: next }] : []),
];

/** The version of a Caddy, such as `2.6.2`. */
export const versionOf = (bin: string): string =>
  /\d+\.\d+\.\d+/.exec(Bun.spawnSync([bin, 'version']).stdout.toString())?.[0] ?? '';

/** The managed Caddys that run for a data folder. */
export const caddiesOf = (dataDir: string, bin = 'caddy') =>
  findCaddies(join(dataDir, 'caddy'), bin);
