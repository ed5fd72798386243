/**
 * Stands in for `docker compose`, which Debian does not have: runs the one service of compose.yaml with Podman. What
 * it does not know is an error.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Service = Record<string, unknown> & {
  image: string;
  healthcheck: Record<string, unknown> & { test: string[] };
};

/** What `host-gateway` means in its network; Podman has known the word since 4.7. */
const GATEWAY = '10.99.0.1';

const list = (option: string) => (values: unknown) =>
  (values as string[]).flatMap((value) => [option, value]);

const OPTIONS: Readonly<Record<string, (value: unknown) => string[]>> = {
  image: () => [],
  build: () => [],
  ports: list('--publish'),
  volumes: list('--volume'),
  extra_hosts: (hosts) =>
    list('--add-host')((hosts as string[]).map((host) => host.replace('host-gateway', GATEWAY))),
  sysctls: list('--sysctl'),
  tmpfs: list('--tmpfs'),
  cap_drop: list('--cap-drop'),
  security_opt: list('--security-opt'),
  restart: (policy) => ['--restart', String(policy)],
  read_only: (is) => (is ? ['--read-only'] : []),
  healthcheck({ test, interval, timeout, start_period }: Service['healthcheck']) {
    const times = { interval, timeout, 'start-period': start_period };
    return [
      ['--health-cmd', JSON.stringify(test.slice(1))],
      Object.entries(times).flatMap(([name, time]) => [`--health-${name}`, String(time)]),
    ].flat();
  },
} as Record<string, (value: unknown) => string[]>;

function optionsOf(service: Service): string[] {
  return Object.entries(service).flatMap(([key, value]) => {
    const option = OPTIONS[key];
    if (!option) throw new Error(`compose.yaml has ${key}, which this stand-in does not know`);
    return option(value);
  });
}

const quoted = (words: readonly string[]) =>
  words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');

/**
 * Puts `docker` into a folder, for shells there.
 * @param socket of Podman
 * @param more further options of `podman run`
 * @returns what such a shell has to begin with
 */
export async function putDocker(
  folder: string,
  socket: string,
  more: readonly string[] = [],
): Promise<string> {
  const text = await Bun.file(join(folder, 'compose.yaml')).text();
  const { services } = Bun.YAML.parse(text) as { services: { signalbox: Service } };
  const { signalbox } = services;
  const run = ['--network', 'signalbox', ...optionsOf(signalbox), ...more, signalbox.image];
  const script = `#!/bin/sh
set -e
podman() { command podman --url unix://${socket} "$@"; }
down() { podman stop --ignore signalbox && podman rm --ignore signalbox; }
case "$*" in
  'compose up -d')
    podman network exists signalbox || podman network create --subnet 10.99.0.0/24 signalbox
    down; podman run -d --name signalbox ${quoted(run)} ;;
  'compose logs') podman logs signalbox 2>&1 ;;
  'compose down') down ;;
  *) podman "$@" ;;
esac
`;
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'docker'), script);
  chmodSync(join(bin, 'docker'), 0o755);
  return `cd ${folder} && export PATH=${bin}:$PATH`;
}
