/** Reads what Docker and Podman say of a container (`GET /containers/ID/json`). Pure. */
import { isIP } from 'node:net';
import { isObject, type Json, type JsonObject } from '../../../src/shared/json.ts';
import { oneLine } from '../../../src/shared/one-line.ts';
import { EngineFault } from './engine.ts';

/** What is needed of a container. */
export type Facts = {
  id: string;
  name: string;
  image: string;
  state: string;
  isRunning: boolean;
  startedAt: string | null;
  /** Null if they are too large to be read. */
  labels: Record<string, string> | null;
  /** Such as `bridge`, `host`, `none`, `container:ID` or the name of a network. */
  mode: string;
  networks: { name: string; addresses: string[]; gateways: string[] }[];
  /** TCP ports that it says it listens on, whether published or not. */
  ports: number[];
  /** TCP ports that a port of the host leads to; `ip`: of the host, '' for all. */
  published: { port: number; ip: string; hostPort: number }[];
};

const LABEL_BYTES = 64 * 1024;
/** Networks of a container, and ports: more are left out. */
const MOST_NETWORKS = 64;
const MOST_PORTS = 256;
const ID = /^[0-9a-f]{12,64}$/;
const NAME = /^\/?[A-Za-z0-9][A-Za-z0-9_.-]*$/;
/** Characters of what anybody may choose who starts a container. */
const MOST_CHARACTERS = 255;
const WITH_NETWORK = ['running', 'paused'];

/** The ids in a list, with a text that changes with what the list says of each. @throws EngineFault */
export function idsIn(list: Json, most: number): Map<string, string> {
  if (!Array.isArray(list)) throw wrong('a list of containers');
  if (list.length > most) {
    throw new EngineFault(`The container engine lists more than ${most} containers.`);
  }
  return new Map(
    list.map((one) => [text(members(one).Id, ID), String(Bun.hash(JSON.stringify(one)))]),
  );
}

/** @param id which container was asked for @throws EngineFault if the engine says something else */
export function factsOf(inspected: Json, id: string): Facts {
  const all = members(inspected);
  if (all.Id !== id) throw wrong('containers');
  const [state, config] = [members(all.State), members(all.Config)];
  const settings = members(all.NetworkSettings);
  const status = text(state.Status, /^[a-z]{1,20}$/);
  const isRunning = WITH_NETWORK.includes(status);
  const bindings = tcpPorts(settings.Ports);
  const ports = [...tcpPorts(config.ExposedPorts), ...bindings].map(([port]) => port);
  const name = text(all.Name, NAME).replace(/^\//, '').slice(0, MOST_CHARACTERS);
  return {
    id,
    name,
    state: status,
    isRunning,
    image: text(config.Image, /^[^\p{C}]*$/u).slice(0, MOST_CHARACTERS),
    startedAt: isRunning ? timeOf(state.StartedAt) : null,
    labels: labelsIn(config.Labels),
    mode: text(members(all.HostConfig).NetworkMode ?? '', /^[\x20-\x7e]*$/),
    networks: isRunning ? networksIn(settings.Networks) : [],
    ports: [...new Set(ports)].toSorted((a, b) => a - b).slice(0, MOST_PORTS),
    published: isRunning ? bindings.flatMap(publishedIn).slice(0, MOST_PORTS) : [],
  };
}

function labelsIn(labels: Json | undefined): Facts['labels'] {
  const all = Object.entries(members(labels)).map(([key, value]) => [key, text(value)] as const);
  const size = all.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return size > LABEL_BYTES ? null : Object.fromEntries(all);
}

const networksIn = (networks: Json | undefined): Facts['networks'] =>
  Object.entries(members(networks))
    .slice(0, MOST_NETWORKS)
    .map(([name, given]) => {
      const { IPAddress, GlobalIPv6Address, Gateway, IPv6Gateway } = members(given);
      const known = (all: readonly (Json | undefined)[]) =>
        all.map((one) => text(one ?? '')).filter((one) => isIP(one) !== 0);
      return {
        name: oneLine(name).slice(0, 100),
        addresses: known([IPAddress, GlobalIPv6Address]),
        gateways: known([Gateway, IPv6Gateway]),
      };
    });

/** What is said of each port by its number; those of UDP are left out. */
const tcpPorts = (ports: Json | undefined): [port: number, said: Json][] =>
  Object.entries(members(ports)).flatMap(([key, said]): [number, Json][] => {
    const port = portOf(/^(\d{1,5})\/tcp$/.exec(key)?.[1]);
    return port === null ? [] : [[port, said]];
  });

/** Null, if it is not published. */
function publishedIn([port, bindings]: [number, Json]): Facts['published'] {
  if (bindings === null) return [];
  if (!Array.isArray(bindings)) throw wrong('published ports');
  return bindings.slice(0, MOST_PORTS).flatMap((binding) => {
    const { HostIp = '', HostPort } = members(binding);
    const [ip, hostPort] = [text(HostIp), portOf(text(HostPort))];
    return hostPort === null || (ip !== '' && isIP(ip) === 0) ? [] : [{ port, ip, hostPort }];
  });
}

function portOf(digits = ''): number | null {
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  return port >= 1 && port <= 65_535 ? port : null;
}

function timeOf(said: Json | undefined): string | null {
  const time = Date.parse(text(said ?? ''));
  return Number.isFinite(time) ? new Date(time).toISOString() : null;
}

/** Those of an object; none of what is missing. @throws EngineFault if it is something else */
function members(value: Json | undefined): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw wrong('containers');
  return value;
}

/** @throws EngineFault if it is no text, or another one */
function text(value: Json | undefined, form?: RegExp): string {
  if (typeof value !== 'string' || form?.test(value) === false) throw wrong('containers');
  return value;
}

const wrong = (what: string) =>
  new EngineFault(`The container engine does not describe ${what} as Docker and Podman do.`);
