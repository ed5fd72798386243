/** Names and addresses that no public authority signs a certificate for. Pure. */
import { BlockList, isIP } from 'node:net';

/**
 * Top-level names for private networks, examples and tests: RFC 6761, RFC 6762 (appendix G), RFC 8375
 * and ICANN's resolution 2024.07.29.06.
 */
const INTERNAL = new Set(
  [
    'corp example home home.arpa internal intranet invalid lan local localdomain localhost private',
    'test',
  ]
    .join(' ')
    .split(' '),
);

/** `nas`, `nas.lan`, `*.home.arpa`; not for addresses. @param name lower case, without a port */
export function isInternalName(name: string): boolean {
  if (name === '' || isIP(name) !== 0) return false;
  const labels = name.replace(/^\*\./, '').split('.');
  return (
    labels.length === 1 ||
    INTERNAL.has(labels.at(-1) ?? '') ||
    INTERNAL.has(labels.slice(-2).join('.'))
  );
}

/** RFC 1918, RFC 6598, RFC 3927, RFC 4193 and RFC 4291: private, shared, link-local, loopback. */
const PRIVATE = new BlockList();
for (const [net, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  PRIVATE.addSubnet(net, prefix);
}
PRIVATE.addAddress('::1', 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/** Whether it is an IP address, without brackets, that is not reached from the Internet. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && PRIVATE.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
