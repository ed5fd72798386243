/** Where Caddy reaches the ports of containers, and why it does not. Pure. */
import { BlockList, isIP } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import type { Container } from '../../../src/features/containers/wire.ts';
import type { Facts } from './facts.ts';

/** The agent's own place; Caddy is in the same. */
export type Place = { hostname: string; interfaces: readonly NetworkInterfaceInfo[] };

/** Describes all containers by what the engine says of them. */
export function reachAll(all: readonly Facts[], place: Place): Container[] {
  const reaches = createReaches(all, place);
  return all.map((facts) => {
    const { id, name, image, state, startedAt, labels } = facts;
    const owner = ownerOf(facts, all);
    const ports = new Set([...facts.ports, ...(owner?.published ?? []).map(({ port }) => port)]);
    const host = owner && reaches.host(owner);
    const known = [...ports].map((port) => {
      const address = owner && reaches.published(owner, port);
      const published = owner?.published.some((one) => one.port === port) ?? false;
      return { port, address: address ?? (host && `${host}:${port}`), published };
    });
    const isReached = host !== null || known.some(({ address }) => address !== null);
    return {
      id,
      name,
      image,
      state,
      startedAt,
      addresses: owner?.networks.flatMap(({ addresses }) => addresses) ?? [],
      ports: known.toSorted((a, b) => a.port - b.port),
      host,
      unreached: isReached ? null : whyNot(facts, owner, reaches.agent),
      labels,
    };
  });
}

/** Whose network it uses, which may be another's; null if that is not there or does not run. */
function ownerOf(facts: Facts, all: readonly Facts[]): Facts | null {
  let owner: Facts | undefined = facts;
  for (const seen = new Set<Facts>(); owner && !seen.has(owner); ) {
    seen.add(owner);
    const other: string | undefined = /^container:(.+)$/.exec(owner.mode)?.[1];
    if (!owner.isRunning) return null;
    if (other === undefined) return owner;
    owner = all.find(({ id, name }) => id === other || name === other);
  }
  return null;
}

function createReaches(all: readonly Facts[], { hostname, interfaces }: Place) {
  const [own, subnets] = [new BlockList(), new BlockList()];
  for (const { address, cidr, family } of interfaces.filter(({ internal }) => !internal)) {
    const kind = family === 'IPv4' ? 'ipv4' : 'ipv6';
    own.addAddress(address, kind);
    subnets.addSubnet(address, Number(cidr?.split('/')[1] ?? (kind === 'ipv4' ? 32 : 128)), kind);
  }
  const isIn = (list: BlockList, address: string) => list.check(address, kindOf(address));
  const isAgent = ({ id, isRunning, networks }: Facts) =>
    isRunning &&
    (networks.some(({ addresses }) => addresses.some((one) => isIn(own, one))) ||
      (/^[0-9a-f]{12,64}$/.test(hostname) && id.startsWith(hostname)));
  const agent = all.find(isAgent) ?? null;
  /**
   * A network whose way out is another machine is the host's own (macvlan), by which host and container do
   * not reach each other.
   */
  const isBridge = (gateways: readonly string[]) =>
    gateways.length === 0 || gateways.some((one) => isIn(own, one));

  return {
    /** The container that the agent is in; null: none. */
    agent,

    /** By which all of its ports are reached. */
    host({ mode, networks }: Facts): string | null {
      if (mode === 'host') return agent === null ? '127.0.0.1' : null;
      const near = networks.filter(({ gateways }) => agent !== null || isBridge(gateways));
      const addresses = near.flatMap(({ addresses }) => addresses);
      const found = addresses.filter((one) => isIn(subnets, one)).toSorted(fourFirst)[0];
      return found === undefined ? null : inUrl(found);
    },

    /** By a port of the host. */
    published({ published }: Facts, port: number): string | null {
      if (agent !== null) return null;
      const found = published.filter((one) => one.port === port);
      const [first] = found.toSorted((a, b) => fourFirst(a.ip, b.ip));
      return first === undefined ? null : `${inUrl(hostOf(first.ip))}:${first.hostPort}`;
    },
  };
}

/** An address of the host by which a port is reached that is published on this one; '': on all. */
const hostOf = (ip: string): string =>
  ip === '' || ip === '0.0.0.0' ? '127.0.0.1' : ip === '::' ? '::1' : ip;

const kindOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
const fourFirst = (a: string, b: string): number => Number(isIP(a) === 6) - Number(isIP(b) === 6);
const inUrl = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

function whyNot(facts: Facts, owner: Facts | null, agent: Facts | null): string {
  if (!facts.isRunning) return 'It does not run.';
  if (owner === null) return 'It uses the network of a container that does not run.';
  if (owner.mode === 'host') {
    return 'It uses the host’s network, and the agent runs in a container: put both on one network.';
  }
  if (owner.networks.every(({ addresses }) => addresses.length === 0)) {
    return agent === null
      ? 'It has no address: publish a port.'
      : 'It has no address: put it on a network that agent and Caddy are on.';
  }
  if (agent === null) {
    return 'The host does not reach its address, as with a rootless engine: publish a port.';
  }
  const names = owner.networks.slice(0, MOST_NAMED).map(({ name }) => `“${name}”`);
  return `It is on the network ${names.join(', ')}, and the agent’s container “${agent.name}” is not: put agent and Caddy on it.`;
}

const MOST_NAMED = 3;
