// proof: acme
/**
 * Kills the hub with SIGKILL while it orders, replaces or undoes a certificate. Afterwards the old one or the
 * new one is stored and served by all proxies, and nothing is left behind: no lego, no second account, no key.
 * CHAOS_KILLS sets the number of kills, CHAOS_SEED their moments.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HAS_ACME, NEW_ACCOUNT, startAcme } from '../harness/acme.ts';
import { type Chain, makeChain, makeIssuer } from '../harness/certificate.ts';
import { type Processes, startProcesses } from '../harness/fleet-processes.ts';
import { forAllTests } from '../harness/for-tests.ts';
import { some } from '../harness/full.ts';
import { presented } from '../harness/lone-agent.ts';
import { seededRandom } from '../harness/random.ts';
import { limit } from '../harness/speed.ts';
import { until } from '../harness/stack.ts';

const KILLS = some(3, 300, 'CHAOS_KILLS');
const SEED = Number(process.env.CHAOS_SEED ?? 20261123);
const SITE = 'app.home.example';
const NAMES = ['*.home.example'];
/** What is under way, and about how long that takes. */
const MOMENTS = { order: 2_300, publish: 200, undo: 200 };

describe.skipIf(!HAS_ACME)('certificates', () => {
  const acme = forAllTests(() => startAcme());
  let all: Processes;
  let chains: Chain[];

  beforeAll(async () => {
    const env = { ACME_DIRECTORY: acme.directory, ACME_ROOTS_FILE: acme.roots };
    all = await startProcesses(['two'], false, env);
    const issuer = await makeIssuer();
    const chainOf = (days: number) => makeChain({ names: NAMES, days, issuer });
    chains = await Promise.all([60, 70].map(chainOf));
    const { chain, key } = chains[0] as Chain;
    for (const [path, json] of [
      ['/certificates/kept', { name: 'home', chain, key }],
      ['/vhosts', { domain: SITE, config: 'respond app' }],
    ] as const) {
      const made = await all.call('POST', path, json);
      expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    }
  });
  afterAll(() => all.stop());

  const folder = () => join(all.hubFolder, 'data/lego');
  const put = (json: object) => all.call('PUT', '/certificates/kept/home', json);
  const order = (email: string) => put({ names: NAMES, email, dns: acme.dns.spec });

  /** What the hub has, once it and all proxies agree. */
  async function agreed() {
    return until(async () => {
      const agents = await all.call<{ state: string }[]>('GET', '/agents');
      if (!agents.body.every(({ state }) => state === 'in-step')) return null;
      const { body } = await all.call<{ serial: string }>('GET', '/certificates/kept/home');
      const entries = (await all.call<{ id: number }[]>('GET', '/changelog')).body;
      const ports = all.sites.map(({ httpsPort }) => httpsPort);
      const shown = await Promise.all(ports.map((port) => presented(port, SITE)));
      const isServed = shown.every((one) => one.toLowerCase() === body.serial);
      return isServed && { serial: body.serial, entries: entries.map(({ id }) => id) };
    }, 'the same certificate everywhere');
  }

  function modes(): string[] {
    const found = readdirSync(folder(), { recursive: true, withFileTypes: true });
    return found.flatMap((one) => {
      const path = join(one.parentPath, one.name);
      const mode = (statSync(path).mode & 0o777).toString(8);
      return mode === (one.isDirectory() ? '700' : '600') ? [] : [`${mode} ${path}`];
    });
  }
  const keys = () =>
    [...new Bun.Glob('**/*').scanSync({ cwd: folder(), dot: true })].filter((file) =>
      readFileSync(join(folder(), file), 'utf8').includes('PRIVATE KEY'),
    );

  test(
    `survive ${KILLS} kills of the hub (seed ${SEED})`,
    async () => {
      const random = seededRandom(SEED);
      const none = () => ({ old: 0, new: 0 });
      const tally = { order: none(), publish: none(), undo: none() };
      let accounts = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        const moment = (['order', 'publish', 'undo'] as const)[kill % 3] ?? 'order';
        const before = await agreed();
        const email = `ada-${kill}@home.example`;
        const { chain, key } = chains.find(
          ({ serial }) => serial.toLowerCase() !== before.serial,
        ) as Chain;
        const begin = {
          order: () => order(email),
          publish: () => put({ chain, key }),
          undo: () => all.call('POST', `/changelog/${before.entries[0]}/revert`),
        }[moment];
        const answer = begin().then(
          ({ status }) => status,
          () => null,
        );
        await Bun.sleep(random.below(MOMENTS[moment]));
        await all.hub.kill();
        const status = await answer;
        await all.hub.revive();
        // At once, while a lego may be left of the killed hub: nothing is in the way of another order.
        const again = moment === 'order' ? await order(email) : null;
        expect([kill, again?.status ?? 200, again?.text]).toEqual([kill, 200, again?.text]);
        const after = await agreed();
        const [last = 0] = before.entries;
        const entries = after.entries.filter((id) => id > last).length - (again ? 1 : 0);
        const isNew = again ? entries === 1 : after.serial !== before.serial;
        // Without an answer, either is right.
        expect({ kill, moment, entries, told: status ?? (isNew ? 200 : null) }).toEqual({
          kill,
          moment,
          entries: isNew ? 1 : 0,
          told: isNew ? 200 : null,
        });
        if (moment === 'publish' && isNew) {
          expect(new Set(chains.map(({ serial }) => serial.toLowerCase()))).toContain(after.serial);
        }
        tally[moment][isNew ? 'new' : 'old']++;

        if (again) accounts++;
        expect([kill, acme.logged(NEW_ACCOUNT)]).toEqual([kill, accounts]);
        await until(() => legosIn(folder()).length === 0, 'the end of lego');
        expect(modes()).toEqual([]);
        expect(keys().filter((file) => !/^accounts\/.*\.key$/.test(file))).toEqual([]);
        expect(keys().length).toBe(accounts);
      }
      console.log(`after kills: ${JSON.stringify(tally)}`);
      const changes = await order('last@home.example');
      expect([changes.status, changes.text]).toEqual([200, expect.any(String)]);
      await agreed();
    },
    limit(Math.max(60_000, KILLS * 8_000)),
  );
});

/** The ids of the processes that work in a folder of lego's. */
const legosIn = (folder: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(folder);
    } catch {
      // It ended meanwhile.
      return false;
    }
  });
