/** Which addresses of a log are at home: those that a policy for home lets in. Pure. */
import { BlockList, isIP } from 'node:net';

/** `private_ranges` of Caddy, each family for itself: it takes no address of IPv4 that is written as one of IPv6. */
const [IPV4, IPV6] = [new BlockList(), new BlockList()];
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  IPV4.addSubnet(network, bits);
}
IPV6.addAddress('::1', 'ipv6');
IPV6.addSubnet('fd00::', 8, 'ipv6');

/** Whether Caddy's `private_ranges` have an address. */
export function isHomeAddress(address: string): boolean {
  const family = isIP(address);
  return family === 4 ? IPV4.check(address) : family === 6 && IPV6.check(address, 'ipv6');
}
