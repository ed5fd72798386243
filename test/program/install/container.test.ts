/** The container files: compose.yaml, and those in docs/container. */
import { describe, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { parseWords } from '../../../src/program/cli/command.ts';
import { VARIABLES } from '../../../src/program/settings.ts';
import { runBinary } from '../../harness/binary.ts';
import { ROOT } from '../../harness/build.ts';
import { COMMANDS } from '../../harness/commands.ts';
import { ask, temporaryFolder } from '../../harness/stack.ts';

const FOLDER = join(ROOT, 'docs/container');
const containerfile = await Bun.file(join(FOLDER, 'Containerfile')).text();
const lines = containerfile.split('\n');
/** The arguments of the last such instruction, which is the final image's. */
const last = (instruction: string) =>
  lines.findLast((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1) ?? '';
/** Whether the command line is one the program understands. */
const isKnown = ([program, ...words]: readonly string[]) =>
  program === 'signalbox' && parseWords(words, COMMANDS).ask === 'run';

type Service = {
  build: { context: string; dockerfile: string };
  environment: Record<string, string>;
  volumes: string[];
  ports?: string[];
  networks?: string[];
};
type Compose = {
  services: Record<string, Service>;
  volumes: Record<string, object>;
  networks: Record<string, object>;
};
const text = await Bun.file(join(ROOT, 'compose.yaml')).text();
const compose = Bun.YAML.parse(text) as Compose;
const { signalbox } = compose.services as Record<'signalbox', Service>;

describe('the container file', () => {
  test('is valid, and a mistake in it would be found', () => {
    expect(validate(containerfile.replace('WORKDIR', 'WORKDIRR')).length).toBeGreaterThan(0);
    expect(validate(containerfile).map(({ message }) => message)).toEqual([]);
  });

  test('contains no secret, needs no shell, and does not run as root', () => {
    expect(containerfile).not.toMatch(/TOKEN|PASSWORD|SECRET/i);
    expect(lines.filter((line) => /^(RUN|CMD|ENTRYPOINT) (?!\[)/.test(line))).toEqual([]);
    expect(last('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(lines.slice(lines.indexOf(`USER ${last('USER')}`)).join('\n')).not.toContain('COPY');
  });

  test('starts the program, with a health check that works', () => {
    const [, words = '[]'] = / CMD (\[.*\])$/.exec(last('HEALTHCHECK')) ?? [];
    expect(isKnown(JSON.parse(words))).toBe(true);
    expect(JSON.parse(last('ENTRYPOINT'))).toEqual(['signalbox']);
  });

  test('keeps its data in a volume that its user owns', () => {
    const data = /DATA_DIR=(\S+)/.exec(last('ENV'))?.[1] ?? '';
    expect(JSON.parse(last('VOLUME'))).toEqual([data]);
    expect(containerfile).toContain(`--chown=${last('USER')} /out/data ${data}\n`);
    for (const [setting = ''] of last('ENV').matchAll(/[A-Z_]+(?==)/g)) {
      expect(VARIABLES).toContain(setting);
    }
  });

  test('copies only files that exist and that .dockerignore lets through', async () => {
    const ignore = await Bun.file(join(ROOT, '.dockerignore')).text();
    expect(ignore).toContain('\n*\n');
    const copied = lines.flatMap((line) => {
      const [, paths = ''] = /^COPY (?!--)(.+) \S+$/.exec(line) ?? [];
      return paths.split(' ').filter(Boolean);
    });
    expect(copied).toContain('src');
    for (const path of copied) {
      expect(existsSync(join(ROOT, path))).toBe(true);
      expect(ignore).toContain(`\n!${path}\n`);
    }
  });

  test('builds the program and its dashboard from only what it copies', async () => {
    const folder = temporaryFolder();
    try {
      for (const path of ['package.json', 'tsconfig.json', 'bunfig.toml', 'src', 'agent', 'docs']) {
        expect(containerfile).toMatch(new RegExp(`^COPY .*\\b${path} `, 'm'));
        cpSync(join(ROOT, path), join(folder, path), { recursive: true });
      }
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      const step = lines.find((line) => line.includes('"--compile"')) ?? '';
      const binary = join(folder, 'signalbox');
      const [, ...words] = JSON.parse(step.replace('RUN ', '').replace('/out/signalbox', binary));
      const built = Bun.spawnSync([process.execPath, ...words], { cwd: folder });
      expect([built.exitCode, built.stderr.toString()]).toEqual([0, expect.any(String)]);

      const cwd = join(folder, 'empty');
      mkdirSync(cwd);
      const env = { HUB_PORT: '0', AGENT_TOKEN: 'x'.repeat(32) };
      const program = runBinary(binary, ['hub'], env, cwd);
      const page = await ask(`${await program.address('hub')}/`);
      expect(page.text).toContain('<div id="app">');
      const [, script] = /src="(\/[\w-]+\.js)"/.exec(page.text) ?? [];
      expect((await ask(`${await program.address('hub')}${script}`)).text).not.toMatch(/["']react/);
      program.child.kill('SIGTERM');
      expect((await program.exited()).code).toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('builds with the Bun version the tests run on', async () => {
    const { devDependencies } = await Bun.file(join(ROOT, 'package.json')).json();
    expect(containerfile).toContain(`oven/bun:${devDependencies.bun} `);
  });
});

describe('the compose example', () => {
  test('is one container without a secret or a right of its own, with its ports and one volume', () => {
    expect(Object.keys(compose.services)).toEqual(['signalbox']);
    expect(text).not.toMatch(/TOKEN|secrets:|privileged: true/);
    expect(signalbox.ports).toEqual(
      last('EXPOSE')
        .split(' ')
        .map((port) => `${Number.parseInt(port, 10)}:${port}`),
    );
    expect(signalbox.volumes.length).toBe(1);
    expect(signalbox).toMatchObject({
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      read_only: true,
    });
  });

  test('builds from what is there, and keeps its data in the volume of the image', () => {
    const { context, dockerfile } = signalbox.build;
    expect(join(ROOT, context, dockerfile)).toBe(join(FOLDER, 'Containerfile'));
    expect(signalbox.volumes.map((volume) => volume.split(':')[1])).toEqual(
      JSON.parse(last('VOLUME')),
    );
  });

  test('refers only to the volume that it declares', () => {
    expect(signalbox.volumes.map((volume) => volume.split(':')[0])).toEqual(
      Object.keys(compose.volumes),
    );
  });

  test('has a socket for other containers, once that is uncommented', () => {
    const lines = text.replaceAll(/^( +)# (- \/var|group_add|environment| {2}DOCKER)/gm, '$1$2');
    const { services } = Bun.YAML.parse(lines) as Compose;
    const { volumes, environment } = services.signalbox as Service;
    expect(volumes.slice(1)).toEqual(['/var/run/docker.sock:/var/run/docker.sock']);
    expect(services.signalbox).toMatchObject({ group_add: [expect.any(String)] });
    expect(environment).toEqual({ DOCKER_SOCKET: '/var/run/docker.sock' });
    for (const name of Object.keys(environment)) expect(VARIABLES).toContain(name);
  });
});

describe('the compose file for containers', () => {
  const added = Bun.YAML.parse(readFileSync(join(FOLDER, 'containers.yaml'), 'utf8')) as Compose;
  const { signalbox: more, 'socket-proxy': proxy } = added.services as Record<string, Service>;

  test('gives the socket to a proxy alone, which lets nothing be changed, and hides it', () => {
    const mounted = Object.entries({ ...compose.services, ...added.services }).filter(
      ([, { volumes = [] }]) => volumes.some((one) => one.includes('docker.sock')),
    );
    expect(mounted.map(([name]) => name)).toEqual(['socket-proxy']);
    expect(proxy?.volumes).toEqual(['/var/run/docker.sock:/var/run/docker.sock:ro']);
    expect(proxy?.environment).toEqual({ CONTAINERS: 1, EVENTS: 1, POST: 0 } as never);
    expect([proxy?.ports, proxy?.networks]).toEqual([undefined, ['engine']]);
    expect(added.networks.engine).toEqual({ internal: true });
  });

  test('only adds what exists, and no network that anybody else is in', () => {
    expect(Object.keys(more ?? {})).toEqual(['environment', 'networks']);
    for (const name of Object.keys(more?.environment ?? {})) expect(VARIABLES).toContain(name);
    expect(more?.environment.DOCKER_SOCKET).toStartWith('http://socket-proxy:');
    expect(signalbox.networks).toBeUndefined();
    expect(more?.networks).toEqual(['default', 'engine']);
  });
});
