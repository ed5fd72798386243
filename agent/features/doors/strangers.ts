/** The addresses from which a trial is asked: of strangers, and of those whom a site lets in. Pure. */
import { BlockList, isIP } from 'node:net';

/** Nobody's networks (RFC 5737, RFC 3849), and others, for sites that name these. */
const IPV4 = ['192.0.2.1', '198.51.100.7', '11.22.33.44'] as const;
const IPV6 = ['2001:db8::7', '2a00::7'] as const;
const MOST = 8;

/** Shorter prefixes are no network of somebody's: `::/0`, or the `2000::/3` of all public addresses. */
const SHORTEST = 7;

/** One of each kind that is in none of the networks; if there is none, simply one. */
export function strangersTo(networks: readonly string[]): { ipv4: string; ipv6: string } {
  const known = listOf(networks);
  const first = ([usual, ...others]: readonly [string, ...string[]]): string =>
    [usual, ...others].find((one) => !known.check(one, kindOf(one))) ?? usual;
  return { ipv4: first(IPV4), ipv6: first(IPV6) };
}

/** One from each network. */
export const membersOf = (networks: readonly string[]): string[] =>
  networks
    .map((one) => one.replace(/\/.*$/, ''))
    .filter((one) => isIP(one) !== 0)
    .slice(0, MOST);

function listOf(networks: readonly string[]): BlockList {
  const all = new BlockList();
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    // A placeholder is known only to Caddy.
    if (isIP(address) === 0) continue;
    if (length === undefined) all.addAddress(address, kindOf(address));
    else if (Number(length) >= SHORTEST) all.addSubnet(address, Number(length), kindOf(address));
  }
  return all;
}

const kindOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** By which a visitor may say that they are somebody else; Caddy must not believe it. */
export const liesOf = (member: string): string[] =>
  ['X-Forwarded-For', 'X-Real-Ip', 'CF-Connecting-IP'].map((name) => `${name}: ${member}`);
