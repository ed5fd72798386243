/** Where Caddy reaches the ports of containers: on a host, in a container, and with a rootless engine. */
import { describe, expect, test } from 'bun:test';
import type { NetworkInterfaceInfo } from 'node:os';
import { factsOf, idsIn } from '../../../../agent/features/containers/facts.ts';
import { type Place, reachAll } from '../../../../agent/features/containers/reach.ts';
import type { Json } from '../../../../src/shared/json.ts';
import { idOf, inspected } from './docker.ts';

const at = (address: string, cidr: number, internal = false): NetworkInterfaceInfo =>
  ({
    address,
    cidr: `${address}/${cidr}`,
    internal,
    family: address.includes(':') ? 'IPv6' : 'IPv4',
  }) as NetworkInterfaceInfo;

const LOOPBACK = [at('127.0.0.1', 8, true), at('::1', 128, true)];
const HOST: Place = {
  hostname: 'box',
  interfaces: [...LOOPBACK, at('192.168.1.10', 24), at('172.17.0.1', 16), at('fd00:17::1', 64)],
};
/** In the container `agent`, on the network `proxy`. */
const INSIDE: Place = { hostname: 'caddy', interfaces: [...LOOPBACK, at('172.20.0.2', 16)] };
const AGENT = inspected('agent', { networks: { proxy: { ip: '172.20.0.2' } }, mode: 'proxy' });
const ROOTLESS: Place = { hostname: 'box', interfaces: [...LOOPBACK, at('192.168.1.10', 24)] };

const read = (...all: object[]) =>
  all.map((one) => factsOf(one as Json, (one as { Id: string }).Id));
/** The first of them. */
const reach = (place: Place, ...all: object[]) => {
  const [first] = reachAll(read(...all), place);
  const addresses = first?.ports.map(({ port, address }) => `${port} ${address}`);
  return { addresses, host: first?.host, unreached: first?.unreached };
};

describe('does not reach', () => {
  const bridged = { ip: '172.17.0.2', gateway: '172.17.0.1' };
  test.each([
    ['one that does not run', HOST, { state: 'exited', ports: { '80/tcp': null } }, 'not run'],
    ['one that is being created', HOST, { state: 'created' }, 'not run'],
    ['one without a network', HOST, { mode: 'none', networks: {} }, 'no address: publish a port'],
    [
      'one of rootless Podman, which has no address at all (slirp4netns, pasta)',
      ROOTLESS,
      { mode: 'slirp4netns', networks: {}, exposed: ['80/tcp'] },
      'no address: publish a port',
    ],
    ['one of a rootless engine', ROOTLESS, { exposed: ['80/tcp'] }, 'rootless engine: publish'],
    [
      'one of a rootless engine, in whose network the machine seems to be',
      { ...ROOTLESS, interfaces: [at('10.8.0.5', 8)] },
      { networks: { podman: { ip: '10.88.0.2', gateway: '10.88.0.1' } } },
      'publish a port',
    ],
    [
      'one with an address in the network of the host (macvlan)',
      HOST,
      { networks: { lan: { ip: '192.168.1.50', gateway: '192.168.1.1' } } },
      'publish a port',
    ],
    [
      'one that only publishes a UDP port',
      ROOTLESS,
      { ports: { '53/udp': [['0.0.0.0', '53']] } as never },
      'publish a port',
    ],
    [
      'one that publishes a port, from within a container',
      INSIDE,
      { mode: 'media', networks: { media: bridged }, ports: { '80/tcp': [['', '8080']] } as never },
      'It is on the network “media”, and the agent’s container “agent” is not: put agent and Caddy on it.',
    ],
    ['one of the host’s network, from within a container', INSIDE, { mode: 'host' }, 'host’s net'],
    ['one that shares the network of none', HOST, { mode: 'container:abc' }, 'that does not run'],
  ] as const)('%s', (_, place, given, words) => {
    const { addresses, host, unreached } = reach(
      place,
      inspected('web', given as Parameters<typeof inspected>[1]),
      AGENT,
    );
    expect(host).toBeNull();
    expect(addresses?.every((one) => one.endsWith(' null'))).toBe(true);
    expect(unreached).toContain(words);
  });

  test('containers that share each other’s network', () => {
    const [one, two] = [
      inspected('one', { mode: `container:${idOf('two')}` }),
      inspected('two', { mode: `container:${idOf('one')}` }),
    ];
    expect(reach(HOST, one, two).unreached).toContain('does not run');
  });
});

describe('on the host', () => {
  test.each([
    [
      'on all addresses',
      [
        ['0.0.0.0', '8080'],
        ['::', '8080'],
      ],
      '127.0.0.1:8080',
    ],
    ['on all, as Podman says it', [['', '8080']], '127.0.0.1:8080'],
    ['on loopback', [['127.0.0.1', '8080']], '127.0.0.1:8080'],
    ['on one address', [['192.168.1.10', '8080']], '192.168.1.10:8080'],
    ['on all of IPv6', [['::', '8080']], '[::1]:8080'],
    ['on one of IPv6', [['fd00:1::5', '8080']], '[fd00:1::5]:8080'],
  ] as const)('a port that is published %s', (_, bindings, address) => {
    const web = inspected('web', { ports: { '80/tcp': bindings.map(([a, b]) => [a, b]) } });
    expect(reach(ROOTLESS, web)).toEqual({
      addresses: [`80 ${address}`],
      host: null,
      unreached: null,
    });
  });

  test('of rootless Podman what it publishes, whatever its network is', () => {
    for (const [mode, networks] of [
      ['slirp4netns', {}],
      ['pasta', { pasta: {} }],
      ['bridge', { podman: { ip: '10.88.0.5', gateway: '10.88.0.1' } }],
    ] as const) {
      const web = inspected('web', { mode, networks, ports: { '80/tcp': [['', '8080']] } });
      expect(reach(ROOTLESS, web).addresses).toEqual(['80 127.0.0.1:8080']);
    }
  });

  test('by its address what is not published, and says what is', () => {
    const web = inspected('web', {
      ports: { '443/tcp': null, '80/tcp': [['0.0.0.0', '8080']], '53/udp': null },
    });
    const [found] = reachAll(read(web), HOST);
    expect(found?.ports).toEqual([
      { port: 80, address: '127.0.0.1:8080', published: true },
      { port: 443, address: '172.17.0.2:443', published: false },
    ]);
    expect([found?.host, found?.unreached]).toEqual(['172.17.0.2', null]);
    expect(found?.startedAt).toBe('2026-05-01T10:00:01.987Z');
  });

  test('without a way out of its network, or only with IPv6', () => {
    const inner = inspected('db', { networks: { inner: { ip: '172.17.0.9' } } });
    expect(reach(HOST, inner).host).toBe('172.17.0.9');
    const six = inspected('six', { networks: { six: { ip6: 'fd00:17::5' } }, exposed: ['80/tcp'] });
    expect(reach(HOST, six).addresses).toEqual(['80 [fd00:17::5]:80']);
  });

  test('in the host’s network by loopback', () => {
    const web = inspected('web', { mode: 'host', networks: { host: {} }, exposed: ['8096/tcp'] });
    expect(reach(HOST, web)).toEqual({
      addresses: ['8096 127.0.0.1:8096'],
      host: '127.0.0.1',
      unreached: null,
    });
  });

  test('by the addresses of another whose network it shares', () => {
    const app = inspected('app', {
      mode: `container:${idOf('vpn')}`,
      networks: {},
      exposed: ['8080/tcp'],
    });
    const vpn = inspected('vpn', { ports: { '8080/tcp': [['', '9000']], '8888/tcp': null } });
    expect(reach(ROOTLESS, app, vpn).addresses).toEqual(['8080 127.0.0.1:9000']);
    expect(reachAll(read(app, vpn), HOST)[0]?.addresses).toEqual(['172.17.0.2']);
    expect(reach(HOST, app, { ...vpn, ...inspected('vpn', { state: 'exited' }) }).unreached).toBe(
      'It uses the network of a container that does not run.',
    );
  });
});

describe('in a container', () => {
  const web = inspected('web', {
    networks: { proxy: { ip: '172.20.0.3', gateway: '172.20.0.1' } },
    ports: { '80/tcp': [['', '8080']] },
  });

  test('by the network that it shares, and not by a port of the host', () => {
    expect(reach(INSIDE, web, AGENT)).toEqual({
      addresses: ['80 172.20.0.3:80'],
      host: '172.20.0.3',
      unreached: null,
    });
  });

  test('that only its host name shows', () => {
    const place = { ...INSIDE, hostname: idOf('agent').slice(0, 12) };
    const agent = inspected('agent', { networks: {} });
    expect(reach(place, web, agent).addresses).toEqual(['80 172.20.0.3:80']);
    // A host may be called as a container id begins.
    expect(reach({ ...place, hostname: 'a' }, web, agent).addresses).toEqual(['80 127.0.0.1:8080']);
  });
});

describe('what no engine says', () => {
  const broken = (change: object) => ({ ...inspected('web'), ...change });
  test.each([
    ['nothing', null],
    ['a list', []],
    ['no id', broken({ Id: undefined })],
    ['another id', broken({ Id: idOf('db') })],
    ['a name of lines', broken({ Name: '/a\nb' })],
    ['labels that are a text', broken({ Config: { Image: 'x', Labels: 'signalbox' } })],
    ['a label that is a number', broken({ Config: { Image: 'x', Labels: { a: 1 } } })],
    ['a label in lines that is none', broken({ Config: { Image: 'x', Labels: { 'a\nb': {} } } })],
    ['a state that is none', broken({ State: { Status: { Running: true } } })],
    ['networks that are a list', broken({ NetworkSettings: { Networks: ['media'] } })],
    ['ports that are a text', broken({ NetworkSettings: { Ports: { '80/tcp': '8080' } } })],
    ['a mode in lines', broken({ HostConfig: { NetworkMode: 'a\nb' } })],
  ])('is refused: %s', (_, said) => {
    expect(() => factsOf(said as Json, idOf('web'))).toThrow('does not describe');
  });

  test.each([[{}], ['[]'], [[null]], [[{ Id: 'x' }]], [[{ Id: '/../x' }]]])(
    '%j is no list',
    (said) => {
      expect(() => idsIn(said as Json, 10)).toThrow('does not describe');
    },
  );

  test('addresses and ports that are none are left out', () => {
    const web = inspected('web', {
      networks: { bridge: { ip: '172.17.0.2; rm' } },
      ports: { '0/tcp': null, '99999/tcp': null, '80/tcp': [['evil.example', '1']], 'x/tcp': null },
    });
    expect(read(web)[0]).toMatchObject({ ports: [80], published: [] });
    expect(read(web)[0]?.networks[0]?.addresses).toEqual([]);
  });

  test('labels of more than 64 KiB are not known, and others are', () => {
    const labels = { 'signalbox.domain': 'a.example', x: 'x'.repeat(64 * 1024) };
    expect(read(inspected('web', { labels }))[0]?.labels).toBeNull();
    const small = JSON.parse('{"__proto__": "a", "constructor": "b"}');
    expect(JSON.stringify(read(inspected('web', { labels: small }))[0]?.labels)).toBe(
      '{"__proto__":"a","constructor":"b"}',
    );
    expect(read(inspected('web', { labels: null }))[0]?.labels).toEqual({});
  });
});
