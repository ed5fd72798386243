// proof: images
/** The image with compose.yaml, as the pages say: the first start, a site, a wildcard by DNS, a restart, an upgrade. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json';
import { fetchPackages, IMAGE_NEEDS, imageName, makeImage } from '../../scripts/release/image.ts';
import { type RealEngine, RUNS_CONTAINERS, startEngine } from '../features/containers/engine.ts';
import { type Acme, HAS_ACME, startAcme } from '../harness/acme.ts';
import { BUILD_TIMEOUT_MS, binaryIn, build, buildForHere, host, ROOT } from '../harness/build.ts';
import { readPage } from '../harness/page.ts';
import { temporaryFolder, until } from '../harness/stack.ts';
import { putDocker } from './stand-in-compose.ts';

const NEEDS = [...IMAGE_NEEDS, 'curl'];
const canRun = RUNS_CONTAINERS && HAS_ACME && NEEDS.every((program) => Bun.which(program));
if (!canRun) console.warn('NOT TESTED, compose.yaml: there is no Podman, pebble, knot or lego');

const folder = temporaryFolder();
/** Debian's packages stay for the next run. */
const packages = join(ROOT, 'node_modules/.cache/debian');
/** Of networks for measurements (RFC 2544): where the container finds the authority, on this machine. */
const HERE = '198.18.77.1';
const LINK = `veth${process.pid}`;
const API = 'http://localhost:3000/api';
const NEWER = '99.0.0';

/** Makes the image of a binary. @returns its archive */
async function imageOf(binary: string, version: string): Promise<string> {
  await makeImage(binary, host.cpu, packages, { root: ROOT, out: folder, version, date: 1.7e9 });
  return join(folder, imageName(version, host.cpu));
}

/** The same program as another version. */
async function buildNewer(): Promise<string> {
  const root = join(folder, 'newer');
  for (const name of [
    'scripts',
    'src',
    'agent',
    'docs',
    'tsconfig.json',
    'bunfig.toml',
    'bun.lock',
  ]) {
    cpSync(join(ROOT, name), join(root, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ ...manifest, version: NEWER }, null, 2),
  );
  const out = join(folder, 'newer-bin');
  const { code, err } = await build(['--target', host.name, '--outdir', out], root, {
    GIT_DIR: '/nowhere',
  });
  expect([code, err]).toEqual([0, '']);
  return binaryIn(out, host);
}

describe.skipIf(!canRun)('the image with compose.yaml', () => {
  /** With what the page tells to put there. */
  const home = join(folder, 'home');
  let engine: RealEngine;
  let acme: Acme;
  let headers: string;
  let commands: string;
  let shell: string;

  const inHome = (script: string) => engine.network.run(`${shell}\n${script}`);
  const log = () => inHome('docker compose logs');
  const curl = (words: string) => engine.network.run(`curl -sS --fail-with-body -m 60 ${words}`);
  const json = (body: object) => `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const isUp = () => curl(`${API}/health`).catch(() => null);
  const site = () => curl(`-H 'Host: app.example' http://127.0.0.1/`).catch(() => null);

  beforeAll(async () => {
    fetchPackages(ROOT, packages, host.cpu);
    cpSync(join(ROOT, 'compose.yaml'), join(home, 'compose.yaml'));
    copyFileSync(
      await imageOf(await buildForHere(folder), manifest.version),
      join(home, `signalbox-${manifest.version}-image-amd64.tar`),
    );
    engine = await startEngine();
    await engine.network.run(`ip link add eth9 type veth peer name ${LINK} netns 1
      ip addr add 198.18.77.2/30 dev eth9 && ip link set eth9 up`);
    for (const words of [`addr add ${HERE}/30 dev ${LINK}`, `link set ${LINK} up`]) {
      expect(Bun.spawnSync(['ip', ...words.split(' ')]).exitCode).toBe(0);
    }
    acme = await startAcme({ host: HERE });
    shell = await putDocker(home, engine.socket);
    [commands = ''] = (await readPage('docs/downloads.md')).blocksUnder('The image');
    expect(commands.match(/docker (load|tag|compose up|compose logs) /g)?.length).toBe(4);
    await inHome(commands);
    await until(isUp, 'the hub in the container');
  }, 3 * BUILD_TIMEOUT_MS);
  afterAll(async () => {
    await acme?.stop();
    await engine?.end();
    rmSync(folder, { recursive: true, force: true });
  });

  test('runs as its user, and nothing can be written but the volume', async () => {
    // The hub answers while Caddy is still being started; a process that is just being started has no user yet.
    const users = await until(async () => {
      const listed = await engine.podman('top signalbox huser args');
      return listed.includes('caddy run') && !listed.includes('\n?') && listed;
    }, 'Caddy in the container');
    const rows = users.trim().split('\n').slice(1);
    expect(rows.filter((row) => !row.startsWith('65532 '))).toEqual([]);
    const [{ HostConfig }] = JSON.parse(await engine.podman('inspect signalbox'));
    expect([HostConfig.ReadonlyRootfs, HostConfig.Privileged]).toEqual([true, false]);
    await expect(engine.podman('exec signalbox sh -c true')).rejects.toThrow();
    await engine.podman('healthcheck run signalbox');
  });

  test('prints a link that works from outside, takes its code alone, and serves the first site', async () => {
    const text = await until(async () => {
      const text = await log();
      return text.includes('#setup=') && text;
    }, 'the link');
    expect(text).toContain('From other machines, write the name of the one that runs this');
    const [, link = '', setupCode] = /(http:\S+)\/#setup=(\S+)/.exec(text) ?? [];
    expect(await curl(`${link}/`)).toContain('<div id="app">');
    const ada = { name: 'Ada', email: 'ada@example.org', password: 'a long passphrase' };
    await expect(curl(`${API}/auth/sign-up/email ${json(ada)}`)).rejects.toThrow();
    const account = await curl(`${API}/auth/sign-up/email ${json({ ...ada, setupCode })}`);
    headers = `-H 'Authorization: Bearer ${JSON.parse(account).token}'`;
    // On the machine, beside the container.
    const respond = ['caddy', 'respond', '--listen', ':8000', '--body', 'hello'];
    const upstream = Bun.spawn([...engine.network.prefix, ...respond], { stderr: 'ignore' });
    try {
      const first = {
        domain: 'http://app.example',
        upstream: 'host.docker.internal:8000',
        config: 'reverse_proxy {upstream}',
      };
      await curl(`${API}/vhosts ${headers} ${json(first)}`);
      expect(await until(site, 'the site')).toBe('hello');
    } finally {
      upstream.kill();
      await upstream.exited;
    }
    await curl(`-X PUT ${API}/vhosts/1 ${headers} ${json({ config: 'respond kept' })}`);
  });

  test(
    'gets a wildcard certificate by DNS',
    async () => {
      copyFileSync(acme.roots, join(home, 'roots.pem'));
      const settings = [`ACME_DIRECTORY=${acme.directory}`, 'ACME_ROOTS_FILE=/roots.pem'];
      shell = await putDocker(home, engine.socket, [
        ...settings.flatMap((one) => ['--env', one]),
        '--volume',
        `${home}/roots.pem:/roots.pem:ro`,
      ]);
      await inHome('docker compose up -d');
      await until(isUp, 'the next container');
      const names = ['*.home.example', 'home.example'];
      const order = { name: 'home', names, email: 'ada@home.example', dns: acme.dns.spec };
      const made = JSON.parse(await curl(`${API}/certificates/kept ${headers} ${json(order)}`));
      expect(made).toMatchObject({ source: 'dns', provider: 'rfc2136' });
      const secure = { domain: 'app.home.example', config: 'respond secure' };
      await curl(`${API}/vhosts ${headers} ${json(secure)}`);
      writeFileSync(join(home, 'issuer.pem'), acme.issuer);
      const ask = `--cacert ${home}/issuer.pem --resolve app.home.example:443:127.0.0.1 https://app.home.example/`;
      expect(await until(() => curl(ask).catch(() => null), 'the certificate')).toBe('secure');
    },
    BUILD_TIMEOUT_MS,
  );

  test(
    'keeps everything over a restart and an upgrade, which makes a backup before',
    async () => {
      const backups = async () =>
        JSON.parse(await curl(`${API}/backups ${headers}`)).backups as { name: string }[];
      await inHome('docker compose down && docker compose up -d');
      expect(await until(site, 'its site after a restart')).toBe('kept');
      // None is due by itself for a day from then on.
      await curl(`-X POST ${API}/backups ${headers}`);
      const before = (await backups()).length;
      await curl(`-X PUT ${API}/vhosts/1 ${headers} ${json({ config: 'respond later' })}`);

      rmSync(join(home, `signalbox-${manifest.version}-image-amd64.tar`));
      const newer = await imageOf(await buildNewer(), NEWER);
      copyFileSync(newer, join(home, `signalbox-${NEWER}-image-amd64.tar`));
      await inHome(
        commands.replace(`localhost/signalbox:${manifest.version}`, `localhost/signalbox:${NEWER}`),
      );
      expect(await until(site, 'its site after the upgrade')).toBe('later');
      expect(await engine.podman('exec signalbox signalbox --version')).toBe(`${NEWER}\n`);
      expect((await backups()).length).toBe(before + 1);
      const text = await log();
      expect(text).not.toContain('#setup=');
      expect(text).not.toContain('backup not made');
    },
    3 * BUILD_TIMEOUT_MS,
  );
});
