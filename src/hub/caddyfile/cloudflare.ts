/** The networks from which Cloudflare forwards requests, as https://www.cloudflare.com/ips/ lists them. */

import { BlockList, isIP } from 'node:net';

/** The day of that list. A release brings a newer one; it is never fetched. */
export const CLOUDFLARE_AS_OF = '2023-09-28';

export const CLOUDFLARE: readonly string[] = [
  '103.21.244.0/22',
  '103.22.200.0/22',
  '103.31.4.0/22',
  '104.16.0.0/13',
  '104.24.0.0/14',
  '108.162.192.0/18',
  '131.0.72.0/22',
  '141.101.64.0/18',
  '162.158.0.0/15',
  '172.64.0.0/13',
  '173.245.48.0/20',
  '188.114.96.0/20',
  '190.93.240.0/20',
  '197.234.240.0/22',
  '198.41.128.0/17',
  '2400:cb00::/32',
  '2405:8100::/32',
  '2405:b500::/32',
  '2606:4700::/32',
  '2803:f800::/32',
  '2a06:98c0::/29',
  '2c0f:f248::/32',
];

const NETWORKS = new BlockList();
for (const network of CLOUDFLARE) {
  const [address = '', bits] = network.split('/');
  NETWORKS.addSubnet(address, Number(bits), familyOf(address));
}

/** Whether Cloudflare connects from an IP address. */
export const isOfCloudflare = (address: string): boolean =>
  isIP(address) !== 0 && NETWORKS.check(address, familyOf(address));

function familyOf(address: string) {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
