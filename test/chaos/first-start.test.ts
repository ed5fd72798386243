// proof: chaos
/**
 * Kills a box with SIGKILL again and again from its very first start on, Caddy too or not. After each
 * start that is not killed, one more change has to go through. CHAOS_KILLS sets the number of kills,
 * CHAOS_SEED their instants.
 */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { caddiesOf, signalCaddies } from '../harness/caddys.ts';
import { some } from '../harness/full.ts';
import { countListeners } from '../harness/listeners.ts';
import { runProgram } from '../harness/program.ts';
import { seededRandom } from '../harness/random.ts';
import { limit } from '../harness/speed.ts';
import { ask, freePort, portSettings, temporaryFolder, until } from '../harness/stack.ts';

const KILLS = some(3, 8, 'CHAOS_KILLS');
const SEED = Number(process.env.CHAOS_SEED ?? 20261121);
const KILLS_PER_BOX = 4;
/** About as long as a start takes. */
const START_MS = 600;
/** The contract's limit for database, file and proxy to agree again. */
const AGREE_MS = 5_000;

const OWNER = { name: 'Ada', email: 'ada@example.org', password: 'a long passphrase' };

test(
  `a box that is killed ${KILLS} times from its first start on takes a change after each (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    for (let done = 0; done < KILLS; done += KILLS_PER_BOX) {
      const home = temporaryFolder();
      const dataDir = join(home, 'data');
      const httpPort = freePort();
      const env = { ...portSettings(httpPort), DATA_DIR: dataDir };
      const sites: string[] = [];
      for (let kill = done; kill < done + KILLS_PER_BOX; kill++) {
        const killed = runProgram([], env, home);
        await Bun.sleep(random.below(START_MS));
        killed.child.kill('SIGKILL');
        await killed.exited();
        if (random.below(2) === 0) signalCaddies(dataDir, 'SIGKILL');

        const box = runProgram([], env, home);
        const hub = `${await box.address('hub')}/api`;
        const sign = sites.length === 0 ? 'sign-up' : 'sign-in';
        const signed = await ask<{ token: string }>(`${hub}/auth/${sign}/email`, { json: OWNER });
        expect([kill, signed.status]).toEqual([kill, 200]);
        const headers = { Authorization: `Bearer ${signed.body.token}` };
        await until(
          async () => (await ask<{ inStep: boolean }>(`${hub}/status`, { headers })).body.inStep,
          `agreement after kill ${kill}`,
          AGREE_MS,
        );
        const domain = `http://site-${kill}.example`;
        const json = { domain, config: `respond "${domain}"` };
        const made = await ask(`${hub}/vhosts`, { json, headers });
        expect([kill, made.status, made.text]).toEqual([kill, 201, expect.any(String)]);
        sites.push(domain);
        for (const site of sites) {
          const answer = await ask(`http://127.0.0.1:${httpPort}/`, {
            headers: { Host: new URL(site).host },
          });
          expect([kill, answer.text]).toEqual([kill, site]);
        }
        expect([kill, caddiesOf(dataDir).length]).toEqual([kill, 1]);
        // Caddy answers a load before it has closed the previous listeners.
        await until(() => countListeners(httpPort) === 1, `one listener after kill ${kill}`);
        // Every other box goes on without a clean stop.
        box.child.kill(random.below(2) === 0 ? 'SIGKILL' : 'SIGTERM');
        await box.exited();
      }
      signalCaddies(dataDir, 'SIGKILL');
      rmSync(home, { recursive: true, force: true });
    }
  },
  limit(Math.max(120_000, KILLS * 10_000)),
);
