/** The addresses from which a trial is asked: of strangers, and of those whom a site lets in. Pure. */
import { BlockList, isIP } from 'node:net';
import { isPrivateAddress } from '../../../src/shared/internal-names.ts';

/** First of nobody's networks (RFC 5737, RFC 3849), then of anyone's, for sites that name these. */
const IPV4 = ['192.0.2.1', '198.51.100.7', ...range(1, 223).map((one) => `${one}.22.33.44`)].filter(
  (one) => !isPrivateAddress(one),
);
const IPV6 = ['2001:db8::7', ...range(0x2400, 0x2c0f).map((one) => `${one.toString(16)}::7`)];
const MOST = 8;

/** Shorter prefixes are no network of somebody's: `::/0`, or the `2000::/3` of all public addresses. */
const SHORTEST = 7;

/** One of each kind that is in none of the networks; if there is none, simply one. */
export function strangersTo(networks: readonly string[]): { ipv4: string; ipv6: string } {
  const known = listOf(networks);
  const first = (all: readonly string[]): string =>
    all.find((one) => !known.check(one, kindOf(one))) ?? all[0] ?? '';
  return { ipv4: first(IPV4), ipv6: first(IPV6) };
}

/** Whether strangers may be in a network: it is too large, or known only to Caddy. */
export function mayHoldStrangers(network: string): boolean {
  const [address = '', length = 128] = network.split('/');
  return isIP(address) === 0 || Number(length) < SHORTEST;
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
    if (mayHoldStrangers(network)) continue;
    if (length === undefined) all.addAddress(address, kindOf(address));
    else all.addSubnet(address, Number(length), kindOf(address));
  }
  return all;
}

const kindOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** By which a visitor may say that they are somebody else; Caddy must not believe it. */
export const liesOf = (member: string): string[] =>
  ['X-Forwarded-For', 'X-Real-Ip', 'CF-Connecting-IP'].map((name) => `${name}: ${member}`);

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
