/** What the one-machine mode generates for itself when it first starts. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeDurably } from '../../shared/files.ts';
import type { Settings } from '../config.ts';
import { canListen } from '../listen.ts';

/** Writes 256 random bits to a file that only its owner can read. */
export function newSecret(file: string): string {
  const secret = randomBytes(32).toString('base64url');
  writeDurably(file, `${secret}\n`, 0o600);
  return secret;
}

/** The token that hub and agent share: generated once, readable only by its owner. */
export function ownToken(file: string): string {
  if (!existsSync(file)) newSecret(file);
  return readFileSync(file, 'utf8').trim();
}

/**
 * Ports 80 and 443, or 8080 and 8443 if one of them is not available. `skip_install_trust`, because as
 * root Caddy would add its own CA to the machine's trust store at every load (seen with 2.6.2).
 */
export function firstPreamble(ports: Settings['firstPorts']): string {
  const privileged = canListen(80) && canListen(443);
  const http = ports.http ?? (privileged ? 80 : 8080);
  const https = ports.https ?? (privileged ? 443 : 8443);
  const options = [`http_port ${http}`, `https_port ${https}`, 'skip_install_trust'];
  return `{\n\t${options.join('\n\t')}\n}`;
}
