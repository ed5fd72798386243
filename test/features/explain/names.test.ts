// proof: faults
/** What an explanation says of a name: in a network of its own, with a name server that is asked for it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Explanation } from '../../../src/features/explain/schemas.ts';
import { startOwnNetwork } from '../../harness/own-network.ts';
import { type Program, runProgram } from '../../harness/program.ts';
import { temporaryFolder, until } from '../../harness/stack.ts';

const API = 'http://127.0.0.1:3000/api';
const OWN = '192.168.77.2';
const NAMES = {
  'here.ada-home.net': OWN,
  'router.ada-home.net': '203.0.113.7',
  'sub.router.ada-home.net': '203.0.113.7',
  'other.ada-home.net': '192.168.77.9',
  'loop.ada-home.net': '127.0.0.1',
  'failed.ada-home.net': 'fails',
};

const MARK = '/.dockerenv';

const folder = temporaryFolder();
const resolv = join(folder, 'resolv.conf');
writeFileSync(resolv, 'nameserver 127.0.0.1\n');
/** Hides what marks a container, which does not know the addresses of its host; the rest of the disk is there. */
const hide = [
  `mkdir ${folder}/own && mount -t tmpfs tmpfs ${folder}/own && cd ${folder}/own`,
  `mkdir up work root && mknod up${MARK} c 0 0`,
  'mount -t overlay overlay -o lowerdir=/,upperdir=up,workdir=work root',
  'for one in proc sys dev tmp run; do mount --rbind /$one root/$one || exit 1; done',
  'cd root && pivot_root . mnt',
].join(' && ');
const begin = [
  ...(existsSync(MARK) ? [`{ ${hide} || :; } && cd /`] : []),
  'ip link add lan type veth peer name far',
  'ip link set far up',
  `ip addr add ${OWN}/24 dev lan`,
  'ip link set lan up',
  `mount --bind ${resolv} /etc/resolv.conf`,
  'mount -t tmpfs tmpfs /run',
];
const network = await startOwnNetwork(['--mount'], begin.join(' && '));
if (network === null) console.log('No network of its own: names are not explained.');

describe.skipIf(network === null)('a name', () => {
  // Its files are its own as well.
  const inside = (network?.prefix ?? []).flatMap((word) => (word === '-n' ? ['-n', '-m'] : [word]));
  let names: Bun.Subprocess<'ignore', 'pipe'>;
  let program: Program;
  let token: string;
  const isMarked = Bun.spawnSync([...inside, 'test', '-e', MARK]).exitCode === 0;

  async function start(): Promise<void> {
    // As what a container was started for.
    const main = [...inside, 'unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
    program = runProgram([], { DATA_DIR: join(folder, 'data') }, folder, { prefix: main });
    await program.address('agent');
  }

  beforeAll(async () => {
    const words = Object.entries(NAMES).map(([name, address]) => `${name}=${address}`);
    const script = join(import.meta.dir, 'services/name-server.ts');
    names = Bun.spawn([...inside, process.execPath, script, ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await names.stdout.getReader().read();
    await start();
    const account = { name: 'Ada', email: 'ada@example.org', password: 'a long passphrase' };
    ({ token } = await api<{ token: string }>('/auth/sign-up/email', account));
  });
  afterAll(async () => {
    for (const child of [program?.child, names]) {
      child?.kill('SIGKILL');
      await child?.exited;
    }
    await network?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function api<T>(path: string, json: object): Promise<T> {
    const sent = token === undefined ? '' : `-H 'Authorization: Bearer ${token}'`;
    const text = await network?.run(`curl -s ${API}${path} ${sent} -d '${JSON.stringify(json)}'`);
    return JSON.parse(text ?? '') as T;
  }
  async function explained(domain: string, config = 'respond up') {
    const { id } = await api<{ id: number }>('/vhosts', { domain, config });
    const explanation = await api<Explanation>('/explanations', { vhost: id });
    return { ...explanation, id, name: explanation.steps[0] };
  }

  test.each<[string, string]>([
    ['that there is not', 'http://nobody.ada-home.net'],
    ['that there is not, of a site over HTTPS', 'nothing.ada-home.net'],
  ])('%s is unknown', async (_, domain) => {
    const { verdict, step, cause, name, cure } = await explained(domain);
    expect([verdict, step, cause]).toEqual(['fails', 'name', 'NAME_UNKNOWN']);
    expect(name?.ok).toBe(false);
    expect(cure?.operation).toBeNull();
  });

  async function leadsElsewhere(domain: string, address: string) {
    const { verdict, step, cause, words } = await explained(domain);
    expect([verdict, step, cause]).toEqual(['fails', 'name', 'NAME_ELSEWHERE']);
    expect(words).toContain(address);
  }

  test('that leads to whoever looks it up leads elsewhere', () =>
    leadsElsewhere('http://loop.ada-home.net', '127.0.0.1'));

  test.skipIf(isMarked)('that leads to another machine of this network leads elsewhere', () =>
    leadsElsewhere('http://other.ada-home.net', '192.168.77.9'),
  );

  test('that leads here works', async () => {
    const { verdict, name } = await explained('http://here.ada-home.net');
    expect([verdict, name?.ok]).toEqual(['works', true]);
  });

  test('whose certificate is of Caddy’s own authority may be one that browsers know', async () => {
    const config = 'tls internal\nrespond up';
    const { verdict, step, cause, cure } = await explained('here.ada-home.net', config);
    expect([verdict, step, cause]).toEqual(['unsure', 'certificate', 'CERTIFICATE_UNTRUSTED']);
    expect(cure?.words).toMatch(/root/);
  });

  test('of a private network may have one, of which its owner knows', async () => {
    const { verdict } = await explained('https://nas.lan', 'tls internal\nrespond up');
    expect(verdict).toBe('works');
  });

  test.each<[string, string]>([
    ['that leads to a public address, which may be the router’s', 'http://router.ada-home.net'],
    ['of which the name server does not know', 'http://failed.ada-home.net'],
    ['for examples', 'http://app.example'],
    ['for tests', 'http://app.test'],
    ['of this machine', 'http://app.localhost'],
    ['of a private network', 'http://nas.lan'],
    ['of a home', 'http://nas.home.arpa'],
    ['of a company', 'http://wiki.internal'],
    ['that is none', 'http://192.168.77.2'],
  ])('%s works, and is not judged', async (_, domain) => {
    const { verdict, cause, name } = await explained(domain);
    expect([verdict, cause]).toEqual(['works', null]);
    expect(name?.ok).not.toBe(false);
  });

  test('for everybody is not where a service may send visitors to inside', async () => {
    const to = 'http://192.168.1.5:8080/';
    const words = ['caddy', 'respond', '--listen', ':8111', '--status', '302'];
    const service = Bun.spawn([...inside, ...words, '--header', `Location: ${to}`], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    try {
      await network?.run('until curl -s 127.0.0.1:8111; do sleep 0.1; done');
      const config = 'reverse_proxy 127.0.0.1:8111';
      const there = await explained('http://sub.router.ada-home.net', config);
      expect([there.verdict, there.cause]).toEqual(['unsure', 'REDIRECT_ELSEWHERE']);
      expect((await explained('http://tv.lan', config)).verdict).toBe('works');
    } finally {
      service.kill();
      await service.exited;
    }
  });

  test('of an upstream that there is not is no name of a site', async () => {
    const { cause, step } = await explained('http://a.example', 'reverse_proxy no.ada-home.net:80');
    expect([step, cause]).toEqual(['connect', 'UPSTREAM_NAME']);
  });

  test('of a site at an address that the machine has lost leads to a port that is closed', async () => {
    const lan = `${OWN.replace(/2$/, '3')}/24`;
    await network?.run(`ip addr add ${lan} dev lan`);
    const config = `bind ${OWN.replace(/2$/, '3')}\nrespond up`;
    const { id, verdict } = await explained('http://lost.lan:8112', config);
    expect(verdict).toBe('works');
    program.child.kill('SIGKILL');
    await program.child.exited;
    await network?.run(`ip addr del ${lan} dev lan`);
    await start();
    const closed = await until(async () => {
      const found = await api<Explanation>('/explanations', { vhost: id });
      return found.verdict === 'fails' ? found : null;
    }, 'a port that is closed');
    expect([closed.step, closed.cause]).toEqual(['port', 'PORT_CLOSED']);
    expect(closed.words).toMatch(/8112.*no interface has this address/);
  });

  test('localhost is the container’s own for an upstream', async () => {
    // As Podman marks what runs in a container.
    Bun.spawnSync([...inside, 'touch', '/run/.containerenv']);
    const { cause, words, cure } = await explained('http://b.example', 'reverse_proxy localhost:9');
    expect(cause).toBe('UPSTREAM_LOCALHOST');
    expect(words + cure?.words).toMatch(/container/i);
  });
});
