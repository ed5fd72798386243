/** Networks as nginx reads them, and what is left of some without others. Pure. */
import { isIP } from 'node:net';
import { groupsOf } from '../../../shared/ipv6.ts';

/** The family, `4` or `6`, and the leading bits: a network is inside another if its text begins like it. */
export type Network = string;

/** All addresses. */
export const EVERYBODY: readonly Network[] = ['4', '6'];

/** How IPv6 writes the addresses of IPv4; no visitor has one of them. */
const MAPPED = `6${'0'.repeat(80)}${'1'.repeat(16)}`;

/** What an `allow` or a `deny` names, without the bits beyond the network; null if nginx could not read it either. */
export function readNetworks(text: string): readonly Network[] | null {
  if (text.trim() === 'all') return EVERYBODY;
  const [address = '', length, ...more] = text.trim().split('/');
  const bits = /^\d+(?:\.\d+){3}$/.test(address) ? bitsOfIpv4(address) : bitsOfIpv6(address);
  if (bits === null || more.length > 0) return null;
  if (length === undefined) return [bits];
  if (!/^\d{1,3}$/.test(length) || Number(length) >= bits.length) return null;
  return [bits.slice(0, 1 + Number(length))];
}

/** A network of mapped addresses, such as `::ffff:192.168.1.0/120`, as one of IPv4; null if it is none. */
export const unmapped = (network: Network): Network | null =>
  network.startsWith(MAPPED) ? `4${network.slice(MAPPED.length)}` : null;

/** Each network that is inside no other one. */
export function outermost(networks: readonly Network[]): Network[] {
  const found = new Set<Network>();
  let last: Network | null = null;
  for (const network of networks.toSorted()) {
    if (last !== null && network.startsWith(last)) continue;
    last = network;
    found.add(network);
  }
  return [...new Set(networks)].filter((network) => found.has(network));
}

/** The fewest networks that have the addresses of one that are in no other. */
export function without(network: Network, others: readonly Network[]): Network[] {
  if (others.some((other) => network.startsWith(other))) return [];
  const inside = others.filter((other) => other.startsWith(network));
  if (inside.length === 0) return [network];
  return [...without(`${network}0`, inside), ...without(`${network}1`, inside)];
}

/** As Caddy reads them; without those of mapped addresses, which it would take for IPv4. */
export const written = (networks: readonly Network[]): string[] =>
  networks.filter((network) => unmapped(network) === null).map(text);

function text(network: Network): string {
  const [size, word, radix, separator] =
    network[0] === '4' ? ([32, 8, 10, '.'] as const) : ([128, 16, 16, ':'] as const);
  const bits = network.slice(1);
  const words = bits.padEnd(size, '0').match(new RegExp(`.{${word}}`, 'g')) ?? [];
  const plain = words.map((one) => Number.parseInt(one, 2).toString(radix)).join(separator);
  const address = size === 32 ? plain : new URL(`http://[${plain}]`).hostname.slice(1, -1);
  return bits.length === size ? address : `${address}/${bits.length}`;
}

/** nginx takes zeros at the beginning of a number. */
function bitsOfIpv4(address: string): string | null {
  const numbers = address.split('.').map(Number);
  if (numbers.some((number) => number > 255)) return null;
  return `4${numbers.map((number) => inBits(number, 8)).join('')}`;
}

function bitsOfIpv6(address: string): string | null {
  if (isIP(address) !== 6 || address.includes('%')) return null;
  return `6${groupsOf(address)
    .map((group) => inBits(Number.parseInt(group, 16), 16))
    .join('')}`;
}

const inBits = (number: number, length: number): string => number.toString(2).padStart(length, '0');
