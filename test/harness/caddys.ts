/** The Caddys that a test runs with: the installed one and, if it exists, that in `CADDY_NEXT`. */
import { existsSync } from 'node:fs';

const next = process.env.CADDY_NEXT;

export const CADDYS: readonly { name: string; bin: string }[] = [
  { name: 'the installed Caddy', bin: 'caddy' },
  ...(next && existsSync(next) ? [{ name: 'the next Caddy', bin: next }] : []),
];
