/** What an operator should know before the steps of `install` are carried out. Pure. */
import { cureOf, obstacleOf } from '../../hub/publish/serving.ts';
import type { PortState } from '../../shared/wire/proxy.ts';
import { inUrl } from '../addresses.ts';
import { reachOf } from '../serve/reach.ts';
import { SETTINGS } from '../settings.ts';
import { INSTALLED } from './layout.ts';

/** The units whose Caddy holds the ports rightly: an installation may be an upgrade. */
const OWN: readonly string[] = Object.values(INSTALLED).map(({ unit }) => unit);

/**
 * Where Caddy will listen.
 * @param ports 80 and 443, as they are now
 */
export function notesOfPorts(ports: readonly PortState[]): string[] {
  const others = ports.filter(
    ({ holders }) => !holders.some(({ unit }) => OWN.includes(unit ?? '')),
  );
  const obstacles = others.flatMap((state) => obstacleOf(state) ?? []);
  if (obstacles.length === 0) return ["Caddy's ports will be 80 for HTTP and 443 for HTTPS."];
  return [
    `Caddy cannot serve on ports 80 and 443 yet: ${obstacles.join('; ')}.`,
    `To fix it: ${cureOf(others)}`,
  ];
}

/**
 * Where the dashboard will listen, as far as the installation decides that.
 * @param listen the address; null: only on this machine
 * @param addresses those of this machine in its network
 */
export function notesOfHost(listen: string | null, addresses: readonly string[]): string[] {
  const host = listen ?? SETTINGS.HUB_HOST.default ?? '';
  const { desk, lines } = reachOf(`http://${inUrl(host)}:${SETTINGS.HUB_PORT.default}`, addresses);
  const other = listen === null ? '; --listen HOST chooses another address' : '';
  return [`The dashboard will be at ${desk}${other}.`, ...lines];
}
