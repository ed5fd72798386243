/** How to reach the dashboard: the URL to print, and what to do from another machine. Pure. */
import { isLoopback } from '../../shared/loopback.ts';
import { inUrl, lanAddress } from '../addresses.ts';

/** The address of this machine for a host that stands for all addresses. */
const HERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export type Reach = {
  /** Works on this machine. */
  here: string;
  /** Works on the operator's: elsewhere in the network if the hub listens there, or else here. */
  desk: string;
  /** What to do from another machine; none if `here` works there as well. */
  lines: readonly string[];
};

/**
 * @param url where the hub listens
 * @param addresses those of this machine in its network
 * @param isContainer whether that is a container, whose addresses other machines do not reach: its engine publishes
 * the port, usually under the same number
 */
export function reachOf(url: string, addresses: readonly string[], isContainer = false): Reach {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const at = (address: string) => `http://${inUrl(address)}:${port}`;
  const local = HERE[host];
  if (local !== undefined && isContainer) {
    const published = at('localhost');
    const line =
      'From other machines, write the name of the one that runs this container for localhost.';
    return { here: published, desk: published, lines: [line] };
  }
  if (local !== undefined) {
    const urls = addresses.map(at);
    const lines = urls.length > 0 ? [`From other machines: ${urls.join(', ')}`] : [];
    return { here: at(local), desk: urls[0] ?? at(local), lines };
  }
  if (!isLoopback(host)) return { here: url, desk: url, lines: [] };
  const lan = lanAddress(addresses);
  return {
    here: url,
    desk: url,
    lines: [
      'The dashboard can only be opened on this machine. To open it from another one, run there:',
      `  ssh -L ${port}:${inUrl(host)}:${port} user@${addresses[0] ?? 'host'}`,
      ...(lan === null ? [] : [`or let your network in, with this setting:`, `  HUB_HOST=${lan}`]),
    ],
  };
}
