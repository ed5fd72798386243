/** How other machines reach this one. */
import { BlockList, isIP } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** Bridges and tunnels between the containers of a machine, which no other machine can reach. */
const OF_CONTAINERS = /^(br-|cni|docker|flannel|lxc|lxdbr|podman|veth|virbr)/;

/** Networks that are nobody's on the internet: RFC 1918, RFC 6598 (also Tailscale's), RFC 4193. */
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8, 'ipv4');
PRIVATE.addSubnet('172.16.0.0', 12, 'ipv4');
PRIVATE.addSubnet('192.168.0.0', 16, 'ipv4');
PRIVATE.addSubnet('100.64.0.0', 10, 'ipv4');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');

const isPrivate = (address: string): boolean =>
  PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Those that other machines can use, private ones first; IPv6 only if there is no other. */
export function networkAddresses(interfaces: Interfaces): string[] {
  const infos = Object.entries(interfaces)
    .filter(([name]) => !OF_CONTAINERS.test(name))
    .flatMap(([, some]) => some ?? [])
    .filter(({ internal, address }) => !internal && !/^(169\.254\.|fe80:)/i.test(address));
  const four = infos.filter(({ family }) => family === 'IPv4');
  const addresses = new Set((four.length > 0 ? four : infos).map(({ address }) => address));
  return [...addresses].toSorted((a, b) => Number(isPrivate(b)) - Number(isPrivate(a)));
}

/**
 * The addresses of this machine in its network. The hub's unit may not list interfaces, which takes
 * netlink; then only the one from which it reaches others.
 */
export const readAddresses = async (): Promise<string[]> => {
  try {
    return networkAddresses(networkInterfaces());
  } catch {
    return outgoingAddress();
  }
};

/** Of the documentation (RFC 5737), so nobody's: connecting a UDP socket sends nothing. */
const ELSEWHERE = '198.51.100.1';

/** None without a route to other networks. */
async function outgoingAddress(): Promise<string[]> {
  try {
    const socket = await Bun.udpSocket({ connect: { hostname: ELSEWHERE, port: 9 } });
    const { address } = socket.address;
    socket.close();
    return [address];
  } catch {
    return [];
  }
}

/** The first private one: for a service without encryption that is not for the internet. */
export const lanAddress = (addresses: readonly string[]): string | null =>
  addresses.find(isPrivate) ?? null;

/** An address as it is written in a URL. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);
