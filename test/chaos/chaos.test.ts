/**
 * Kills hub, agent, Caddy or all three with SIGKILL at any moment. Afterwards database, file and
 * proxy must agree, and every change that was answered with success must be there. CHAOS_KILLS sets
 * the number of kills, CHAOS_SEED their sequence.
 */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { forFile } from '../harness/for-file.ts';
import { some } from '../harness/full.ts';
import { type Random, seededRandom } from '../harness/random.ts';
import { limit } from '../harness/speed.ts';
import { createModel } from './model.ts';
import { createWorld, type Part } from './world.ts';

const KILLS = some(5, 40, 'CHAOS_KILLS');
const SEED = Number(process.env.CHAOS_SEED ?? 20261120);

/** Which processes are killed: single ones, or several at once. */
const VICTIMS: readonly (readonly Part[])[] = [
  ['hub'],
  ['agent'],
  ['caddy'],
  ['hub', 'agent'],
  ['agent', 'caddy'],
  ['hub', 'agent', 'caddy'],
];

/** The stage of a publish at which they are killed. */
const MOMENTS = ['any time', 'validate', 'load', 'swap', 'commit'] as const;

const world = await forFile(createWorld());

/** Resolves at the given stage of the current publish, or after a while if there is none. */
async function reach(moment: (typeof MOMENTS)[number], random: Random): Promise<void> {
  const until = performance.now() + 150;
  const size = world.caddyLogSize();
  const file = world.fileIdentity();
  const reached = {
    'any time': () => false,
    validate: () => existsSync(world.candidate),
    load: () => world.caddyLogSize() > size + 200,
    swap: () => world.fileIdentity() !== file,
    commit: () => world.fileIdentity() !== file,
  }[moment];
  if (moment === 'any time') return void (await Bun.sleep(random.below(40)));
  while (!reached() && performance.now() < until) await Bun.sleep(0);
  if (moment === 'commit') await Bun.sleep(random.below(4));
}

test(
  `everything agrees after each of ${KILLS} kills (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const model = createModel(world, random);
    await model.begin();
    const longest = { agree: 0 };
    for (let kill = 0; kill < KILLS; kill++) {
      // In turn: a few kills have each of both, and thirty all pairs.
      const victims = VICTIMS[kill % VICTIMS.length] as readonly Part[];
      const moment = MOMENTS[kill % MOMENTS.length] as (typeof MOMENTS)[number];
      // Earlier changes must survive as well as those in progress.
      if (random.below(2) === 0) await model.storm();
      const storm = model.storm();
      await reach(moment, random);
      await world.kill(victims);
      await storm;
      await world.revive(victims);
      longest.agree = Math.max(longest.agree, await world.agree());
      const faults = await model.faults();
      if (!(await model.oneMore())) faults.push('one more change was refused');
      expect({ kill, victims, moment, faults }).toEqual({ kill, victims, moment, faults: [] });
    }
    console.log(
      `${KILLS} kills, seed ${SEED}: ${JSON.stringify(model.tally)}, at most ${Math.round(longest.agree)} ms to agree`,
    );
    expect(model.tally.accepted).toBeGreaterThan(KILLS / 4);
  },
  limit(Math.max(150_000, KILLS * 6_000)),
);
