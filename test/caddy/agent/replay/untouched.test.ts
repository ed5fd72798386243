// proof: agent
/** What a replay touches: nothing but itself, also if the agent is killed during one. */
import { afterAll, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCaddies } from '../../../../agent/caddy/process/processes.ts';
import { REPLAY_MS, type ReplayState } from '../../../../src/features/replay/wire.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { some } from '../../../harness/full.ts';
import { presented } from '../../../harness/lone-agent.ts';
import { startOwnNetwork } from '../../../harness/own-network.ts';
import { runProgram } from '../../../harness/program.ts';
import { seededRandom } from '../../../harness/random.ts';
import { limit } from '../../../harness/speed.ts';
import { temporaryFolder, until } from '../../../harness/stack.ts';
import { isRoot } from '../../../harness/unprivileged.ts';
import { type ReplayingAgent, startReplayingAgent } from './agent.ts';
import { generated, placesOf, render } from './configs.ts';
import { MUTATIONS } from './mutations.ts';
import { ANY, accessLog, trafficFor } from './traffic.ts';
import { type Services, startServices } from './upstreams.ts';

const KILLS = some(2, 20, 'REPLAY_KILLS');
const isNew = caddyIs('>=2.7.0');
const random = seededRandom(some(11, 11, 'REPLAY_SEED'));

let services: Services;
let agent: ReplayingAgent;
/** What would be live. */
[services, agent] = await Promise.all([startServices(), startReplayingAgent(true)]);
const basicAuth = isNew ? 'basic_auth' : 'basicauth';
const stuff = { services, addresses: ANY, basicAuth, random };
const config = generated(stuff);
await agent.publish(render(config, agent.ports));
agent.log(accessLog(trafficFor(placesOf(agent.ports), ANY, 1_500, random), isNew));
MUTATIONS['a sign-in more']?.(config, stuff);
MUTATIONS['another end']?.(config, stuff);
const text = render(config, agent.ports);
afterAll(() => Promise.all([agent.stop(), services.stop()]));

const homeOf = () => join(agent.dataDir, 'caddy');
const replayFolders = () => readdirSync(homeOf()).filter((name) => name.startsWith('trial-'));
const trials = () =>
  replayFolders().flatMap((name) =>
    findCaddies(join(homeOf(), name), 'caddy').map(({ pid }) => pid),
  );

/** Caddy's certificates and its authority, with what is in them. Other files may be gone before they are read. */
function certificates(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => /certificates|pki/.test(file));
  return Object.fromEntries(files.map((file) => [file, Bun.hash(readFileSync(file)).toString(36)]));
}

test('upstreams, sign-in service, log, statistics and certificates are as they were', async () => {
  const statistics = async () => (await agent.get('/logs/stats?buckets=10')).text;
  // Those that are made once are made now, and those of the live sites after their publish.
  await agent.replay(text);
  for (const { name, isApart } of config.sites.filter(({ tls }) => tls)) {
    const port = isApart ? agent.ports.secure : agent.httpsPort;
    const isMade = async () => (await presented(port, name.replace('*', 'any'))) === 'Caddy';
    await until(isMade, `a certificate for ${name}`);
  }
  const storage = () => certificates(agent.dataDir);
  const seen = async () => [
    services.arrived(),
    readFileSync(agent.logFile, 'utf8'),
    await statistics(),
    storage(),
  ];
  const before = await seen();
  const state = await agent.replay(text, { signedIn: true });
  expect(state).toMatchObject({ state: 'done' });
  expect(state.differ).toBeGreaterThan(0);
  expect(await seen()).toEqual(before);
  expect(Object.keys(storage()).length).toBeGreaterThan(0);
  expect(replayFolders()).toEqual([]);
});

test(
  `nothing is left of it if the agent is killed at any time, ${KILLS} times`,
  async () => {
    let caught = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      await agent.start(text);
      // Every other time while both run, and the first time before they can have ended.
      if (kill % 2 === 0) await until(() => trials().length === 2, 'the trials');
      if (kill > 0) await Bun.sleep(random.below(400));
      const running = trials();
      caught += running.length;
      await agent.kill();
      await until(() => replayFolders().length === 0, 'the folders to be removed');
      expect(trials()).toEqual([]);
      expect(running.filter((pid) => existsSync(`/proc/${pid}`) && isTrial(pid))).toEqual([]);
    }
    expect(caught).toBeGreaterThan(0);
    expect(await agent.replay(text)).toMatchObject({ state: 'done' });
  },
  limit(180_000),
);

const isTrial = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/trial-');
  } catch {
    return false;
  }
};

const OUTSIDE = [
  'ip link add out type veth peer name far',
  'ip link set out addrgenmode none',
  'ip link set far addrgenmode none',
  'ip link set far up',
  'ip link set out up',
  'ip addr add 192.0.2.2/24 dev out',
  'ip neigh add 192.0.2.1 lladdr 02:00:00:00:00:01 dev out',
  'ip route add default via 192.0.2.1',
];

test.skipIf(!isRoot)('no packet leaves the machine', async () => {
  // What is sent out there arrives nowhere, and is counted.
  const network = await startOwnNetwork([], OUTSIDE.join(' && '));
  if (network === null) throw new Error('no network of its own');
  const folder = temporaryFolder();
  const logs = join(folder, 'access.log');
  const { prefix, run } = network;
  const head = '{\n\thttp_port 8080\n\thttps_port 8443\n\tskip_install_trust\n}\n';
  const live = `${head}http://a.example {\n\trespond "hello"\n}\n`;
  // Certificates of an authority outside, names that somebody has to be asked for, and a service there.
  const after = `${head}a.example {\n\tforward_auth sign-in.example {\n\t\turi /verify\n\t}\n\treverse_proxy https://198.51.100.9 https://upstream.example:9000\n}\nhttp://*.b.example {\n\tphp_fastcgi 198.51.100.10:9000\n}\n`;
  const token = 'alone'.repeat(8);
  const env = {
    DATA_DIR: join(folder, 'data'),
    AGENT_PORT: '3002',
    AGENT_TOKEN: token,
    UPSTREAM_PROBE: 'false',
    PROXY_MANAGED: 'true',
    PROXYFILE: join(folder, 'proxy/Caddyfile'),
    ACCESS_LOG: logs,
  };
  const program = runProgram(['agent'], env, folder, { prefix });
  try {
    await program.address('agent');
    const asked = async <T>(path: string, json?: object): Promise<T> => {
      const body = join(folder, 'body.json');
      writeFileSync(body, JSON.stringify(json ?? {}));
      const data = json ? `-H 'Content-Type: application/json' -d @${body}` : '';
      const url = `http://127.0.0.1:3002${path}`;
      return JSON.parse(await run(`curl -s -H 'Authorization: Bearer ${token}' ${data} '${url}'`));
    };
    const sent = async () => Number(await run("awk '/out:/ {print $11}' /proc/net/dev"));
    expect(await asked('/proxy/reload', { proxyfile: live })).toMatchObject({ success: true });
    const hosts = ['a.example', 'x.b.example'].flatMap((host) => [
      { host, tls: true },
      { host, tls: false },
    ]);
    writeFileSync(logs, accessLog(trafficFor(hosts, ANY, 100, random), isNew), { flag: 'a' });
    const before = await sent();
    const request = { proxyfile: after, hosts: null, days: 7, requests: 1_000, signedIn: true };
    const { id } = await asked<{ id: string }>('/proxy/replay', request);
    const ended = async () => {
      const now = await asked<ReplayState>(`/proxy/replay?id=${id}`);
      return now.state !== 'running' && now;
    };
    const state = await until(ended, 'the replay', REPLAY_MS);
    expect(state).toMatchObject({ state: 'done' });
    expect(state.differ).toBeGreaterThan(0);
    expect(await sent()).toBe(before);
    await run('curl -s -m 0.1 http://198.51.100.9/ || true');
    expect(await sent()).toBeGreaterThan(before);
  } finally {
    program.child.kill('SIGTERM');
    await program.exited();
    await network.stop();
  }
});
