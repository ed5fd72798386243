/** Containers as Docker describes them: the shape of `GET /containers/ID/json` in its reference, up to v1.52. */

type Network = { ip?: string; ip6?: string; gateway?: string };

type Given = {
  id?: string;
  state?: string;
  mode?: string;
  labels?: unknown;
  exposed?: string[];
  /** As in `NetworkSettings.Ports`: null is exposed only. */
  ports?: Record<string, [ip: string, port: string][] | null>;
  networks?: Record<string, Network>;
};

export const idOf = (name: string): string =>
  new Bun.CryptoHasher('sha256').update(name).digest('hex');

/** On Docker's own bridge, unless it has other networks. */
export function inspected(name: string, given: Given = {}) {
  const { id = idOf(name), state = 'running', mode = 'bridge', labels = {}, ports = {} } = given;
  const { networks = { bridge: { ip: '172.17.0.2', gateway: '172.17.0.1' } } } = given;
  const isRunning = state === 'running';
  return {
    Id: id,
    Created: '2026-05-01T10:00:00.123456789Z',
    Path: '/docker-entrypoint.sh',
    State: {
      Status: state,
      Running: isRunning,
      Paused: false,
      Restarting: false,
      StartedAt: '2026-05-01T10:00:01.987654321Z',
      FinishedAt: '0001-01-01T00:00:00Z',
    },
    Name: `/${name}`,
    HostConfig: { NetworkMode: mode, PortBindings: {}, RestartPolicy: { Name: 'always' } },
    Config: {
      Hostname: id.slice(0, 12),
      Env: ['PASSWORD=hushed'],
      Image: 'nginx:1.27',
      Labels: labels,
      ExposedPorts: Object.fromEntries(
        [...Object.keys(ports), ...(given.exposed ?? [])].map((port) => [port, {}]),
      ),
    },
    NetworkSettings: {
      SandboxID: '9d12',
      SandboxKey: '/var/run/docker/netns/9d12',
      Ports: Object.fromEntries(
        Object.entries(ports).map(([port, on]) => [
          port,
          on?.map(([HostIp, HostPort]) => ({ HostIp, HostPort })) ?? null,
        ]),
      ),
      Networks: Object.fromEntries(
        Object.entries(networks).map(([network, { ip = '', ip6 = '', gateway = '' }]) => [
          network,
          {
            IPAMConfig: null,
            Links: null,
            MacAddress: '02:42:ac:11:00:02',
            Gateway: gateway,
            IPAddress: ip,
            IPPrefixLen: 16,
            IPv6Gateway: '',
            GlobalIPv6Address: ip6,
          },
        ]),
      ),
    },
  };
}

/** As in `GET /containers/json`: of it, only the id counts, and whether it is the same as before. */
export const listed = (...names: string[]) =>
  names.map((name) => ({
    Id: idOf(name),
    Names: [`/${name}`],
    State: 'running',
    Status: 'Up 1 s',
  }));
