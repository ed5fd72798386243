/** Real containers: Podman with a network, processes and storage of its own, which all end with it. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { NetworkInterfaceInfo } from 'node:os';
import { join } from 'node:path';
import { type OwnNetwork, startOwnNetwork } from '../../harness/own-network.ts';
import { temporaryFolder, until } from '../../harness/stack.ts';
import { isRoot } from '../../harness/unprivileged.ts';

/** Debian's busybox-static: all that an image needs. */
const BUSYBOX = '/bin/busybox';
/** What another one begins with names the program that loads its libraries. */
const isStatic = (file: string) =>
  existsSync(file) && !readFileSync(file).subarray(0, 4096).includes('/ld-');
const PROGRAMS = ['podman', 'crun', 'conmon', 'iptables', 'unshare', 'nsenter', 'ip'];

/** What makes its networks, which is on no PATH. */
const NETAVARK = '/usr/lib/podman/netavark';

/** Whether this machine can run containers, which takes root. */
export const RUNS_CONTAINERS =
  isRoot && PROGRAMS.every((one) => Bun.which(one)) && existsSync(NETAVARK);

/** Whether it can also make those of `up`. */
export const HAS_PODMAN = RUNS_CONTAINERS && isStatic(BUSYBOX);

type Wanted = {
  name: string;
  labels?: Record<string, string>;
  /** Those that are published: `80/tcp` → `8080` or `127.0.0.2:8080`. */
  ports?: Record<string, string>;
  /** Those that its image says it listens on, such as `80/tcp`. */
  exposed?: readonly string[];
  /** `host`, `none` or `container:NAME`; by default Podman's own. */
  network?: string;
  /** The port on which it serves its name. */
  serves?: number;
};

export type RealEngine = {
  /** Its socket, as in `DOCKER_SOCKET`. */
  socket: string;
  /** Where its containers run, and an agent would. */
  network: OwnNetwork;
  /** Makes and starts a container. @returns its id */
  up(wanted: Wanted): Promise<string>;
  start(name: string): Promise<void>;
  stop(name: string): Promise<void>;
  rm(name: string): Promise<void>;
  /** Runs a command of Podman, as a shell reads it. @returns what it prints @throws Error if it fails */
  podman(words: string): Promise<string>;
  /** What a container serves at an address, asked from the host. @throws Error if nothing does */
  served(address: string): Promise<string>;
  /** What `networkInterfaces` of `node:os` says on the host. */
  interfaces(): NetworkInterfaceInfo[];
  end(): Promise<void>;
};

/** Starts Podman's service, with an image of busybox if it can. @throws Error if it cannot run here */
export async function startEngine(): Promise<RealEngine> {
  const folder = temporaryFolder();
  const socket = join(folder, 'engine.sock');
  const network = await startOwnNetwork(
    ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'],
    // Addresses are given out by files in /run. crun refuses a machine with both kinds of control groups.
    `mount -t tmpfs tmpfs /run && { umount /sys/fs/cgroup/unified 2>/dev/null; ${serviceIn(folder, socket)} & }`,
  );
  if (network === null) throw new Error('This machine cannot run containers.');

  async function call(method: string, path: string, init: RequestInit = {}): Promise<string> {
    const response = await fetch(`http://engine${path}`, { method, ...init, unix: socket });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  }

  const post = (path: string, body: object = {}) =>
    call('POST', path, {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });

  const end = async () => {
    await network.stop();
    rmSync(folder, { recursive: true, force: true });
  };

  try {
    await until(() => call('GET', '/_ping').catch(() => null), 'the service of Podman');
    if (HAS_PODMAN) {
      await call('POST', '/images/create?fromSrc=-&repo=busybox', { body: await imageIn(folder) });
    }
  } catch (error) {
    const log = readFileSync(join(folder, 'log'), 'utf8');
    await end();
    throw new Error(`Podman does not run: ${log}`, { cause: error });
  }

  return {
    socket,
    network,

    async up({ name, labels = {}, ports = {}, exposed = [], network = 'bridge', serves = 80 }) {
      const serve = `echo ${name} > /www/index.html; exec httpd -f -p ${serves} -h /www`;
      const bindings = Object.entries(ports).map(([port, on]) => {
        const [HostPort = '', HostIp = ''] = on.split(/:(?=\d+$)/).reverse();
        return [port, [{ HostIp, HostPort }]];
      });
      const all = [...Object.keys(ports), ...exposed];
      const { Id } = JSON.parse(
        await post(`/containers/create?name=${name}`, {
          Image: 'busybox',
          Cmd: ['sh', '-c', serve],
          Labels: labels,
          ExposedPorts: Object.fromEntries(all.map((port) => [port, {}])),
          HostConfig: { NetworkMode: network, PortBindings: Object.fromEntries(bindings) },
        }),
      ) as { Id: string };
      await post(`/containers/${Id}/start`);
      return Id;
    },

    start: async (name) => void (await post(`/containers/${name}/start`)),
    stop: async (name) => void (await post(`/containers/${name}/stop?t=0`)),
    rm: async (name) => void (await call('DELETE', `/containers/${name}?force=true`)),

    podman: (words) => network.run(`podman --url unix://${socket} ${words}`),

    served: async (address) =>
      (await network.run(`curl -sf -m 30 --retry 3 --retry-connrefused http://${address}/`)).trim(),

    interfaces() {
      const script = 'console.log(JSON.stringify(Object.values(os.networkInterfaces()).flat()))';
      const command = [...network.prefix, process.execPath, '-e', script];
      return JSON.parse(Bun.spawnSync(command).stdout.toString());
    },

    end,
  };
}

/** The command that runs the service, with settings that touch nothing of this machine. */
function serviceIn(folder: string, socket: string): string {
  const settings = `
[containers]
cgroups = "disabled"
# What it would ask for may be more than this machine allows.
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
runtime = "crun"
tmp_dir = "${folder}/tmp"
[network]
network_backend = "netavark"
network_config_dir = "${folder}/networks"
`;
  writeFileSync(join(folder, 'containers.conf'), settings);
  return [
    `CONTAINERS_CONF=${folder}/containers.conf podman`,
    `--root ${folder}/root --runroot ${folder}/run --storage-driver vfs`,
    `system service --time=0 unix://${socket} >${folder}/log 2>&1`,
  ].join(' ');
}

/** An image as a tar. */
async function imageIn(folder: string): Promise<Blob> {
  const bin = join(folder, 'image', 'bin');
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(folder, 'image', 'www'));
  writeFileSync(join(bin, 'busybox'), readFileSync(BUSYBOX), { mode: 0o755 });
  for (const name of ['sh', 'echo', 'httpd']) symlinkSync('busybox', join(bin, name));
  const tar = Bun.spawn(['tar', '-C', join(folder, 'image'), '-c', '.'], { stdout: 'pipe' });
  return new Response(tar.stdout).blob();
}

/**
 * Stands in for an engine that behaves as no real one can be made to, on a unix socket.
 * @param answer by the path of a request, with its query
 */
export function stuckEngine(answer: (path: string) => Response | Promise<Response>) {
  const folder = temporaryFolder();
  const socket = join(folder, 'engine.sock');
  const asked: string[] = [];
  const options: object = { idleTimeout: 0 };
  const server = Bun.serve({
    unix: socket,
    development: false,
    ...options,
    fetch(request) {
      const { method, url } = request;
      const path = url.replace(/^https?:\/\/[^/]*/, '');
      asked.push(`${method} ${path}`);
      return answer(path);
    },
  });
  return {
    socket,
    /** Every request so far. */
    asked,
    async end() {
      await server.stop(true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
