// proof: chaos
/**
 * Kills hub, agent or both with SIGKILL while they take changes with an `Idempotency-Key`, and sends all of
 * them again until they are answered: each must have been made exactly once, and get one and the same
 * answer from then on. CHAOS_KILLS sets the number of kills, CHAOS_SEED their instants.
 */
import { expect, test } from 'bun:test';
import { forFile, listenerForFile } from '../harness/for-file.ts';
import { some } from '../harness/full.ts';
import { seededRandom } from '../harness/random.ts';
import { limit } from '../harness/speed.ts';
import { ask } from '../harness/stack.ts';
import { createWorld, type Part, type Sent } from './world.ts';

const KILLS = some(4, 200, 'CHAOS_KILLS');
const SEED = Number(process.env.CHAOS_SEED ?? 20261122);
/** About as long as it takes to publish them. */
const PUBLISH_MS = 60;
/** From the new file to the answer: the hub looks for a while if the upstream answers. */
const ANSWER_MS = 100;
const VICTIMS: readonly [readonly Part[], ...(readonly Part[])[]] = [
  ['hub'],
  ['hub'],
  ['agent'],
  ['hub', 'agent'],
];

const world = await forFile(createWorld());

const site = (name: string) => ({
  domain: `http://${name}.example:${world.httpPort}`,
  config: `respond ${name}`,
});

/** The domains that were created in a round, as the changelog has them. */
async function createdIn(kill: number): Promise<string[]> {
  const { body } = await ask<{ domain: string; action: string }[]>(`${world.hub}/changelog`, world);
  const isOfRound = new RegExp(`\\bk${kill}\\b`);
  return body
    .filter(({ domain, action }) => action === 'create' && isOfRound.test(domain))
    .map(({ domain }) => domain)
    .toSorted();
}

/** Changes that cannot be made twice: the second time, their names are taken. */
const changesOf = (kill: number): Sent[] => {
  const block = { recipe: 'block', values: { networks: ['203.0.113.9'] } };
  const operations = ['b', 'c'].map((end) => ({ op: 'create', ...site(`k${kill}-${end}`) }));
  return [
    { path: '/vhosts', json: { ...site(`k${kill}-a`), ...SILENT }, status: 201 },
    { path: '/vhosts/bulk', json: { operations }, status: 200 },
    { path: '/policies', json: { name: `k${kill}`, ...block }, status: 201 },
  ].map((one) => ({ ...one, key: `${SEED}-${kill}` }));
};

/** An upstream that shakes no hands: the answer to a change waits for it, as long as the agent does. */
const silent = listenerForFile(() => {});
const SILENT = { config: 'reverse_proxy {upstream}', upstream: `https://127.0.0.1:${silent.port}` };

/** Deletes what a round made, so that publishes stay as fast as the first. */
async function clear(): Promise<void> {
  const list = async (path: string) =>
    (await ask<{ id: number }[]>(`${world.hub}${path}`, world)).body;
  const operations = (await list('/vhosts')).map(({ id }) => ({ op: 'delete', id }));
  await ask(`${world.hub}/vhosts/bulk`, { headers: world.headers, json: { operations } });
  for (const { id } of await list('/policies')) {
    await ask(`${world.hub}/policies/${id}`, { headers: world.headers, method: 'DELETE' });
  }
}

test(
  `a change with a key is made once, whatever is killed ${KILLS} times (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const tally = { answered: 0, lost: 0, made: 0 };
    // More than that if nothing was tried yet: the change was made, and its answer lost.
    const isEnough = (kills: number) => kills >= KILLS && (tally.made > 0 || kills >= 4 * KILLS);
    for (let kill = 0; !isEnough(kill); kill++) {
      const sent = changesOf(kill);
      const victims = random.pick(VICTIMS);
      const file = world.fileIdentity();
      const first = Promise.all(sent.map(world.send));
      await world.reach(kill, file, random, [PUBLISH_MS, ANSWER_MS]);
      await world.kill(victims);
      const answers = await first;
      await world.revive(victims);
      const before = await createdIn(kill);
      const again = await Promise.all(sent.map(world.accepted));
      for (const [at, answer] of answers.entries()) {
        if (answer?.status !== sent[at]?.status) tally.lost++;
        else {
          tally.answered++;
          expect([kill, at, again[at]?.text]).toEqual([kill, at, answer?.text]);
        }
      }
      if (answers[0] === null && before.includes(site(`k${kill}-a`).domain)) tally.made++;
      expect(await Promise.all(sent.map(world.send))).toEqual(again);
      expect(await createdIn(kill)).toEqual([
        `(policy k${kill})`,
        ...['a', 'b', 'c'].map((end) => site(`k${kill}-${end}`).domain),
      ]);
      await clear();
    }
    console.log(`${KILLS} kills, seed ${SEED}: ${JSON.stringify(tally)}`);
    expect(tally.made).toBeGreaterThan(0);
  },
  limit(Math.max(150_000, KILLS * 6_000)),
);
