/**
 * Cuts the power at random instants of first starts and of changes: the disk is copied while a box
 * runs, and a box is started on each copy. CHAOS_CUTS sets the number of cuts, CHAOS_SEED their
 * instants. Needs root and loop devices.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { createDisk, type Disk, mayCutPower } from '../harness/disk.ts';
import { some } from '../harness/full.ts';
import { countListeners } from '../harness/listeners.ts';
import { type Program, runProgram } from '../harness/program.ts';
import { type Random, seededRandom } from '../harness/random.ts';
import { limit } from '../harness/speed.ts';
import { ask, freePort, until } from '../harness/stack.ts';

const CUTS = some(4, 18, 'CHAOS_CUTS');
const SEED = Number(process.env.CHAOS_SEED ?? 20261121);
const CUTS_PER_BOX = 6;
/** Of these, the ones that may fall into the first start; the others wait for a change to be there. */
const FIRST_CUTS = 2;
/** The contract's limit for database, file and proxy to agree again. */
const AGREE_MS = 5_000;
const START_MS = 60_000;

const OWNER = { name: 'Ada', email: 'ada@example.org', password: 'a long passphrase' };
/** Half of the sites need a certificate of Caddy's own authority. */
const SITES = ['a.localhost', 'b.localhost', 'c.localhost', 'd.localhost'] as const;
const isSecure = (site: string) => site < 'c';

/** What was answered with success, and what was asked for, by the time of a cut. */
type Promised = { token: string | null; accepted: Map<string, number>; asked: Map<string, number> };
type Cut = { image: string; during: string; before: Promised; after: Promised };
type Ports = { hub: number; http: number; https: number };

/** A process namespace of its own, so that all of a box ends at once. */
const APART = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];

const api = (ports: Ports, path: string) => `http://127.0.0.1:${ports.hub}/api${path}`;
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

function startBox(disk: Disk, ports: Ports): Program {
  const env = {
    DATA_DIR: join(disk.folder, 'data'),
    HUB_PORT: String(ports.hub),
    AGENT_PORT: '0',
    PROXY_HTTP_PORT: String(ports.http),
    PROXY_HTTPS_PORT: String(ports.https),
  };
  return runProgram([], env, disk.folder, { prefix: APART });
}

async function killBox(box: Program): Promise<void> {
  box.child.kill('SIGKILL');
  await box.exited();
}

const siteOf = (site: string, version: number) => ({
  domain: isSecure(site) ? site : `http://${site}`,
  config: `${isSecure(site) ? 'tls internal\n' : ''}respond "version ${version}."`,
});

/** What a site serves, or null. */
async function served(ports: Ports, site: string): Promise<number | null> {
  const url = isSecure(site) ? `https://${site}:${ports.https}/` : `http://${site}:${ports.http}/`;
  const tls = { rejectUnauthorized: false };
  const answer = await fetch(url, { tls, keepalive: false }).catch(() => null);
  return versionIn((await answer?.text()) ?? '');
}

const versionIn = (text: string) => {
  const found = /version (\d+)\./.exec(text)?.[1];
  return found === undefined ? null : Number(found);
};

/** Starts a box on an empty disk, changes its sites without a pause, and cuts the power now and then. */
async function runBox(disk: Disk, ports: Ports, random: Random): Promise<Cut[]> {
  const known: Promised = { token: null, accepted: new Map(), asked: new Map() };
  const copyOfKnown = (): Promised => ({
    token: known.token,
    accepted: new Map(known.accepted),
    asked: new Map(known.asked),
  });
  const cuts: Cut[] = [];
  const box = startBox(disk, ports);
  let over = false;

  async function change(): Promise<void> {
    await box.address('hub');
    const signUp = await ask<{ token: string }>(api(ports, '/auth/sign-up/email'), { json: OWNER });
    const { token } = signUp.body;
    known.token = token;
    const ids = new Map<string, number>();
    for (let version = 1; !over; version++) {
      const site = random.pick(SITES);
      known.asked.set(site, version);
      const id = ids.get(site);
      const answer = await ask<{ id: number }>(api(ports, `/vhosts${id ? `/${id}` : ''}`), {
        method: id ? 'PUT' : 'POST',
        json: siteOf(site, version),
        headers: bearer(token),
      });
      expect([answer.status, answer.text]).toEqual([id ? 200 : 201, expect.any(String)]);
      ids.set(site, answer.body.id);
      known.accepted.set(site, version);
    }
  }

  const changing = change();
  try {
    for (let at = 0; at < CUTS_PER_BOX; at++) {
      if (at === FIRST_CUTS) {
        const isChanged = () => known.accepted.size > 0;
        await Promise.race([until(isChanged, 'the first change', START_MS), changing]);
      }
      await Bun.sleep(random.below(at < FIRST_CUTS ? 600 : 900));
      const before = copyOfKnown();
      const image = disk.cut();
      const during = known.token === null ? 'first start' : 'changes';
      cuts.push({ image, during, before, after: copyOfKnown() });
    }
  } finally {
    over = true;
    await changing;
    await killBox(box);
  }
  return cuts;
}

/** The owner's token, whether or not the account was there at the cut. */
async function tokenOf(ports: Ports, known: Promised): Promise<string> {
  if (known.token !== null) return known.token;
  for (const path of ['/auth/sign-up/email', '/auth/sign-in/email']) {
    const { status, body } = await ask<{ token: string }>(api(ports, path), { json: OWNER });
    if (status === 200) return body.token;
  }
  throw new Error('no account can be made, and there is none');
}

/** Starts a box on a copy. @returns what is wrong with it, one line each */
async function faultsOf(cut: Cut, disk: Disk, ports: Ports): Promise<string[]> {
  disk.mount(cut.image);
  const faults: string[] = [];
  const box = startBox(disk, ports);
  try {
    await box.address('hub');
    const headers = bearer(await tokenOf(ports, cut.before));
    const list = await ask<{ domain: string; config: string }[]>(api(ports, '/vhosts'), {
      headers,
    });
    if (list.status !== 200) return [`the list answers ${list.status}: ${list.text}`];
    const stored = new Map<string, number>();
    for (const { domain, config } of list.body) {
      stored.set(domain.replace('http://', ''), versionIn(config) ?? 0);
    }
    for (const site of SITES) {
      const version = stored.get(site) ?? 0;
      const least = cut.before.accepted.get(site) ?? 0;
      const most = cut.after.asked.get(site) ?? 0;
      if (version < least) faults.push(`${site}: ${least} was accepted, ${version} is stored`);
      if (version > most) faults.push(`${site}: ${most} was asked for, ${version} is stored`);
    }
    for (const [site, version] of stored) {
      await until(async () => (await served(ports, site)) === version, site, AGREE_MS).catch(() =>
        faults.push(`${site}: stored, but not served`),
      );
    }
    const site = 'new.localhost';
    const made = await ask(api(ports, '/vhosts'), { json: siteOf(site, 1), headers });
    // Caddy answers a load before it has closed the previous listeners.
    await until(() => countListeners(ports.http) === 1, 'one listener', AGREE_MS).catch(() =>
      faults.push(`${countListeners(ports.http)} Caddys listen`),
    );
    if (made.status !== 201) faults.push(`a new site is answered ${made.status}: ${made.text}`);
    else if ((await served(ports, site)) !== 1) faults.push('a new site is not served');
  } finally {
    await killBox(box);
  }
  return faults;
}

test.skipIf(!mayCutPower)(
  `a box starts and serves after each of ${CUTS} power cuts (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const tally = new Map<string, number>();
    const ports: Ports = { hub: freePort(), http: freePort(), https: freePort() };
    for (let done = 0; done < CUTS; done += CUTS_PER_BOX) {
      const disk = createDisk();
      try {
        for (const [at, cut] of (await runBox(disk, ports, random)).entries()) {
          tally.set(cut.during, (tally.get(cut.during) ?? 0) + 1);
          const faults = await faultsOf(cut, disk, ports);
          expect({ cut: done + at, during: cut.during, faults }).toEqual({
            cut: done + at,
            during: cut.during,
            faults: [],
          });
        }
      } finally {
        disk.remove();
      }
    }
    console.log(`${CUTS} power cuts, seed ${SEED}: ${JSON.stringify(Object.fromEntries(tally))}`);
    expect(tally.get('changes')).toBeGreaterThanOrEqual((CUTS / CUTS_PER_BOX) * 4);
  },
  limit(Math.max(120_000, CUTS * 10_000)),
);
