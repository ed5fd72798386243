/** What the one-machine mode generates for itself when it first starts. */
import { SHORTEST_TOKEN } from '../../shared/bearer.ts';
import type { Log } from '../../shared/log.ts';
import { keepSecret } from '../../shared/system/files.ts';
import { FALLBACK_PORTS } from '../../shared/wire/proxy.ts';
import type { Settings } from '../config.ts';
import { whyClosed } from '../listen.ts';

/** 256 bits. */
export const SECRET_BYTES = 32;

/**
 * The token that hub and agent share: generated once, readable only by its owner. Nobody else needs
 * it, so one that is damaged is replaced.
 * @param onReplaced as of `keepSecret`
 */
export const ownToken = (file: string, onReplaced: (file: string) => void): string =>
  keepSecret({ file, bytes: SECRET_BYTES, shortest: SHORTEST_TOKEN, onReplaced });

/** Logs that a damaged secret was replaced. */
export const secretReplaced =
  (log: Log) =>
  (file: string): void =>
    log('secret replaced', { file, reason: 'the file was damaged' }, 'warn');

/**
 * Ports 80 and 443, or 8080 and 8443 if one of them is not available, or the next ones that are. `skip_install_trust`, because as
 * root Caddy would add its own CA to the machine's trust store at every load (seen with 2.6.2).
 * @param warn receives a sentence for each port of the settings that cannot be opened; Caddy may be
 * able to open it later, or have rights that the program lacks
 */
export function firstPreamble(
  ports: Settings['firstPorts'],
  warn: (warning: string) => void,
): string {
  for (const [name, port] of [
    ['PROXY_HTTP_PORT', ports.http],
    ['PROXY_HTTPS_PORT', ports.https],
  ] as const) {
    const reason = port === null ? null : whyClosed(port);
    if (reason !== null) warn(`${name}: ${reason}`);
  }
  const privileged = whyClosed(80) === null && whyClosed(443) === null;
  const http = ports.http ?? (privileged ? 80 : available(FALLBACK_PORTS.http));
  const https = ports.https ?? (privileged ? 443 : available(FALLBACK_PORTS.https));
  const options = [`http_port ${http}`, `https_port ${https}`, 'skip_install_trust'];
  return `{\n\t${options.join('\n\t')}\n}`;
}

/** The first port from here on that is available; this one if none is. */
const available = (first: number): number =>
  Array.from({ length: FALLBACK_PORTS.tried }, (_, more) => first + more).find(
    (port) => whyClosed(port) === null,
  ) ?? first;
