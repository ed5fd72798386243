/** The versions of Caddy that a test of its behaviour runs on. */
import { existsSync } from 'node:fs';

const next = process.env.CADDY_NEXT;

/** The installed one and, if `CADDY_NEXT` names its program, a newer one. */
export const CADDYS: readonly { name: string; bin: string }[] = [
  { name: 'installed Caddy', bin: Bun.which('caddy') ?? 'caddy' },
  ...(next && existsSync(next) ? [{ name: 'next Caddy', bin: next }] : []),
];
