// proof: podman
/**
 * Real containers come and go while hub and agent are killed. Once all is quiet, sites are what containers are,
 * and nobody else's sites have changed. CHAOS_KILLS sets the number of kills, CHAOS_SEED what happens.
 */

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PACE } from '../../../src/features/containers/hub.ts';
import { caddiesOf } from '../../harness/caddys.ts';
import { some } from '../../harness/full.ts';
import { type Program, runProgram } from '../../harness/program.ts';
import { seededRandom } from '../../harness/random.ts';
import { labelsOf } from '../../harness/scripted-engine.ts';
import { limit } from '../../harness/speed.ts';
import { temporaryFolder, until } from '../../harness/stack.ts';
import { HAS_PODMAN, type RealEngine, startEngine } from './engine.ts';

const KILLS = some(5, 100, 'CHAOS_KILLS');
const SAMPLES = some(1, 10, 'CHAOS_SAMPLES');
const SEED = Number(process.env.CHAOS_SEED ?? 20261123);
const NAMES = ['ada', 'bob', 'cy', 'dee'] as const;
const SOURCE = 'containers/local';

const VICTIMS: [Part[], ...Part[][]] = [['hub'], ['agent'], ['hub', 'agent']];

type Part = 'hub' | 'agent';
type Site = { domain: string; enabled: boolean; source: string | null; upstream: string };
type World = Awaited<ReturnType<typeof startWorld>>;

const portOf = (name: string): number => 18_100 + NAMES.indexOf(name as (typeof NAMES)[number]);
const domainOf = (name: string) => `http://${name}.example:18080`;

/** Hub, agent and Caddy where the containers are. @param real at the real pace */
async function startWorld(engine: RealEngine, real: boolean) {
  const { prefix, run } = engine.network;
  const home = temporaryFolder();
  const dataDir = join(home, 'data');
  const proxyfile = join(home, 'Caddyfile');
  const env = {
    DATA_DIR: dataDir,
    AGENT_TOKEN: 'chaos'.repeat(8),
    HUB_PORT: '18001',
    AGENT_PORT: '18002',
    AGENT_URL: 'http://127.0.0.1:18002',
    PROXY_MANAGED: 'true',
    PROXYFILE: proxyfile,
    ACCESS_LOG: join(home, 'access.log'),
    DOCKER_SOCKET: engine.socket,
    CONTAINERS_GONE: '1500',
  };
  const programs = new Map<string, Program>();
  async function start(part: Part) {
    const program = runProgram([part], env, home, { prefix, real });
    programs.set(part, program);
    await program.address(part);
  }
  async function call<T>(method: string, path: string, json?: unknown): Promise<T> {
    const body = json === undefined ? '' : `-d '${JSON.stringify(json)}'`;
    const headers = `-H 'Content-Type: application/json' -H 'Authorization: Bearer ${token}'`;
    const url = `http://127.0.0.1:18001/api${path}`;
    return JSON.parse(
      await run(`curl -sf -m ${limit(10)} -X ${method} ${headers} ${body} ${url}`),
    ) as T;
  }
  let token = '';
  await start('agent');
  await start('hub');
  const ada = { name: 'Ada', email: 'ada@example.org', password: 'a long passphrase' };
  token = (await call<{ token: string }>('POST', '/auth/sign-up/email', ada)).token;
  return {
    call,
    sites: () => call<Site[]>('GET', '/vhosts'),
    /** What Caddy answers; empty if it does not, or with an error. */
    served: (name: string) =>
      run(`curl -sf -m 5 -H 'Host: ${name}.example' http://127.0.0.1:18080/`).then(
        (text) => text.trim(),
        () => '',
      ),
    file: () => readFileSync(proxyfile, 'utf8'),
    async kill(part: Part) {
      programs.get(part)?.child.kill('SIGKILL');
      await programs.get(part)?.child.exited;
    },
    revive: start,
    proxies: () => caddiesOf(dataDir).length,
    /** Rows of the changelog. */
    history() {
      const db = new Database(join(dataDir, 'signalbox.db'), { readonly: true });
      const rows = db.query('SELECT domain, action, via FROM changelog ORDER BY id').all() as {
        domain: string;
        action: string;
        via: string | null;
      }[];
      db.close();
      return rows;
    },
    async stop() {
      for (const { child } of programs.values()) child.kill('SIGTERM');
      await Promise.all([...programs.values()].map(({ child }) => child.exited));
      for (const { pid } of caddiesOf(dataDir)) process.kill(pid, 'SIGKILL');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

const up = (engine: RealEngine, name: string, more: Record<string, string> = {}) =>
  engine.up({
    name,
    labels: labelsOf({ domain: domainOf(name), ...more }),
    ports: { '80/tcp': `127.0.0.1:${portOf(name)}` },
  });

describe.skipIf(!HAS_PODMAN)('Podman', () => {
  let engine: RealEngine;
  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine?.end());

  test(
    'a container with a label is served soon',
    async () => {
      const world = await startWorld(engine, true);
      try {
        const took: number[] = [];
        for (let sample = 0; sample < SAMPLES; sample++) {
          // Nothing is published sooner after the last one.
          if (sample > 0) await Bun.sleep(PACE.between);
          await up(engine, 'ada');
          const from = performance.now();
          await until(async () => (await world.served('ada')) === 'ada', 'the container');
          took.push(Math.round(performance.now() - from));
          await engine.rm('ada');
          await until(async () => !(await world.sites())[0]?.enabled, 'its end');
        }
        const median = took.toSorted((a, b) => a - b)[took.length >> 1];
        console.log(`label to served, ms: median ${median} of ${took.join(', ')}`);
      } finally {
        await world.stop();
      }
    },
    limit(60_000 + SAMPLES * 20_000),
  );

  test(
    `sites are what containers are, whatever is killed ${KILLS} times (seed ${SEED})`,
    async () => {
      const world = await startWorld(engine, false);
      try {
        await chaos(world);
      } finally {
        await world.stop();
      }
    },
    limit(60_000 + KILLS * 15_000),
  );

  async function chaos(world: World): Promise<void> {
    const random = seededRandom(SEED);
    const there = new Map<string, 'running' | 'stopped'>();
    await world.call('POST', '/vhosts', {
      domain: 'http://hand.example:18080',
      config: 'respond hand',
      tags: ['mine'],
    });
    await world.call('POST', '/apply', {
      source: 'file',
      sites: { 'http://file.example:18080': { config: 'respond file' } },
    });
    const others = async () =>
      JSON.stringify((await world.sites()).filter(({ source }) => source !== SOURCE));
    const blocks = () =>
      ['hand', 'file'].map(
        (name) => new RegExp(`^http://${name}\\.example.*?^}`, 'ms').exec(world.file())?.[0],
      );
    const before = [await others(), ...blocks()];
    const done: Record<string, number> = {};

    async function act(): Promise<void> {
      const name = random.pick(NAMES);
      const state = there.get(name);
      const what =
        state === undefined
          ? 'up'
          : random.pick(state === 'running' ? ['stop', 'rm', 'again'] : ['start', 'rm']);
      done[what] = (done[what] ?? 0) + 1;
      if (what === 'rm' || what === 'again') await engine.rm(name);
      if (what === 'up' || what === 'again')
        await up(engine, name, { tags: `t${random.below(3)}` });
      if (what === 'stop') await engine.stop(name);
      if (what === 'start') await engine.start(name);
      if (what === 'rm') there.delete(name);
      else there.set(name, what === 'stop' ? 'stopped' : 'running');
    }

    const settled = async () => {
      const found = (await world.sites().catch(() => [])).filter(({ source }) => source === SOURCE);
      const states = found.map(({ domain, enabled }) => `${domain} ${enabled}`).toSorted();
      const wanted = [...there].map(([name, state]) => `${domainOf(name)} ${state === 'running'}`);
      // One that was stopped before anybody saw it run has no site.
      const isThere = (one: string) =>
        states.includes(one) ||
        (one.endsWith('false') && !states.some((s) => s.startsWith(one.slice(0, -5))));
      return wanted.every(isThere) && states.every((one) => wanted.includes(one));
    };

    for (let kill = 0; kill < KILLS; kill++) {
      for (let acts = 1 + random.below(3); acts > 0; acts--) await act();
      const victims = random.pick(VICTIMS);
      // A publish begins a tenth of a second after the last change, and takes as long.
      await Bun.sleep(random.below(500));
      for (const part of victims) await world.kill(part);
      if (random.below(2) === 0) await act();
      for (const part of victims) await world.revive(part);
      if (kill % 5 !== 4 && kill !== KILLS - 1) continue;
      await until(settled, `sites as containers (${kill}: ${JSON.stringify([...there])})`, 30_000);
      for (const name of NAMES) {
        const text = there.get(name) === 'running' ? name : '';
        await until(async () => (await world.served(name)) === text, `${name} is ${text}`);
      }
      expect([await others(), ...blocks()]).toEqual(before);
      expect(world.proxies()).toBe(1);
    }

    // Each site is created once, changed, and deleted once.
    const states = new Map<string, string>();
    for (const { domain, action, via } of world.history()) {
      if (via !== `apply ${SOURCE}`) continue;
      const last = states.get(domain) ?? 'none';
      expect([action, last === 'none' || last === 'delete']).toEqual([action, action === 'create']);
      states.set(domain, action);
    }
    const open = [...states].filter(([, action]) => action !== 'delete').length;
    expect(open).toBe((await world.sites()).filter(({ source }) => source === SOURCE).length);
    console.log(`${KILLS} kills, seed ${SEED}: ${JSON.stringify(done)}, ${states.size} sites`);
    for (const name of there.keys()) await engine.rm(name);
  }
});
