/** What the one-machine mode makes for itself at its first start. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeDurably } from '../../shared/files.ts';
import type { Settings } from '../config.ts';
import { canListen } from '../listen.ts';

/** The one-machine mode's shared token: made once, readable by its owner alone. */
export function ownToken(file: string): string {
  if (!existsSync(file)) writeDurably(file, `${randomBytes(32).toString('base64url')}\n`, 0o600);
  return readFileSync(file, 'utf8').trim();
}

/**
 * Where 80 and 443 may not be had, the next best that need no privilege. The machine's trust store
 * is left alone: as root Caddy would install its own CA there, again at every load (seen on 2.6.2).
 */
export function firstPreamble(ports: Settings['firstPorts']): string {
  const privileged = canListen(80) && canListen(443);
  const http = ports.http ?? (privileged ? 80 : 8080);
  const https = ports.https ?? (privileged ? 443 : 8443);
  const options = [`http_port ${http}`, `https_port ${https}`, 'skip_install_trust'];
  return `{\n\t${options.join('\n\t')}\n}`;
}
