/** Visitors from other networks, for a trial that only this machine can ask: each has a loopback address. Pure. */
import { BlockList, isIP } from 'node:net';

export type Visitor = {
  /** For people: as the config has it. */
  network: string;
  address: string;
  /** Its address in the trial. */
  from: string;
};

const HERE = '127.0.0.1';
/** Of TEST-NET-1 (RFC 5737), where nobody is. */
const ELSEWHERE = { network: 'other networks', address: '192.0.2.1' };
/** More are not tried: each may cost an upstream a connection. */
const MOST = 4;

/** One from each network, and first one from none of them; none if no network matters. */
export function visitorsFrom(networks: readonly string[]): Visitor[] {
  if (networks.length === 0) return [];
  const named = networks.map((network) => ({ network, address: network.replace(/\/.*$/, '') }));
  return [ELSEWHERE, ...named]
    .filter(({ address }) => isIP(address) !== 0)
    .slice(0, MOST)
    .map((one, at) => ({ ...one, from: `127.99.0.${at + 1}` }));
}

/** The addresses in the trial of those who are in some networks; the networks if one is not known before a request. */
export function rangesInTrial(ranges: readonly string[], visitors: readonly Visitor[]): string[] {
  const networks = new BlockList();
  try {
    for (const range of ranges) {
      const [address = '', length] = range.split('/');
      if (length === undefined) networks.addAddress(address, kindOf(address));
      else networks.addSubnet(address, Number(length), kindOf(address));
    }
  } catch {
    return [...ranges];
  }
  return [{ address: HERE, from: HERE }, ...visitors]
    .filter(({ address }) => networks.check(address, kindOf(address)))
    .map(({ from }) => from);
}

const kindOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
