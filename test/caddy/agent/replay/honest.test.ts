// proof: agent
/**
 * Whether a replay says what would really differ: generated configurations and changes of them, and a week
 * of requests. The judge is a Caddy with the real text and real upstreams, before and after.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { caddyIs } from '../../../harness/caddys.ts';
import { some } from '../../../harness/full.ts';
import { seededRandom } from '../../../harness/random.ts';
import { limit } from '../../../harness/speed.ts';
import { type ReplayingAgent, startReplayingAgent } from './agent.ts';
import { type Config, generated, placesOf, render, type Stuff } from './configs.ts';
import { type Judge, startJudge } from './judge.ts';
import { MUTATIONS } from './mutations.ts';
import { ANY, accessLog, LOOPBACK, type Logged, others, trafficFor } from './traffic.ts';
import { type Services, startServices } from './upstreams.ts';
import { type Case, countAll, dependsOnAddress, isDifferent, wrongIn } from './verdict.ts';

/** Changes, in rounds: each has its own configuration, week and agent. */
const CHANGES = some(16, 300, 'REPLAY_CHANGES');
const A_ROUND = some(8, 10);
const REQUESTS = 400;
const SEED = some(1, 1, 'REPLAY_SEED');

const isNew = caddyIs('>=2.7.0');
const addresses = isNew ? ANY : LOOPBACK;

let services: Services;
let judges: [Judge, Judge];
beforeAll(async () => {
  [services, ...judges] = await Promise.all([
    startServices(),
    startJudge(isNew),
    startJudge(isNew),
  ]);
});
afterAll(() => Promise.all([services, ...judges].map((one) => one.stop())));

/** How many changes of each kind were tried, and how many requests differed. */
const tried: Record<string, number> = {};

describe.each(Array.from({ length: Math.ceil(CHANGES / A_ROUND) }, (_, at) => SEED + at))(
  'with seed %d',
  (seed) => {
    const random = seededRandom(seed * 7919);
    let agent: ReplayingAgent;
    let stuff: Stuff;
    let config: Config;
    let logged: Logged[];
    let outside: Logged[];
    beforeAll(async () => {
      agent = await startReplayingAgent();
      stuff = { services, addresses, basicAuth: isNew ? 'basic_auth' : 'basicauth', random };
      config = generated(stuff);
      await agent.publish(render(config, agent.ports));
      logged = trafficFor(placesOf(agent.ports), addresses, REQUESTS, random);
      const { old, websockets } = others(logged, random);
      outside = websockets;
      const half = logged.map((one) => ({ ...one, times: one.times.slice(1) }));
      const newest = logged.map((one) => ({ ...one, times: one.times.slice(0, 1) }));
      agent.log(accessLog([...newest, ...websockets], isNew), accessLog([...half, ...old], isNew));
    });
    afterAll(() => agent.stop());

    test(
      'a replay finds what differs, and nothing else',
      async () => {
        const [live, wouldBe] = judges;
        const before = (await live.see(config, logged, agent.ports)) ?? [];
        const names = Object.keys(MUTATIONS);
        const wrong: string[] = [];
        for (let change = 0; change < A_ROUND; ) {
          const name =
            names[(seed * A_ROUND + change * 5 + random.below(names.length)) % names.length] ?? '';
          const changed = structuredClone(config);
          if (!MUTATIONS[name]?.(changed, stuff)) continue;
          const after = await wouldBe.see(changed, logged, agent.ports);
          // Caddy refuses some, such as two sites of a name.
          if (after === null) continue;
          change++;
          const cases = logged.flatMap((one, at): Case[] => {
            const [was, is] = [before[at], after[at]];
            return was && is ? [{ logged: one, before: was, after: is }] : [];
          });
          tried[name] = (tried[name] ?? 0) + cases.filter(isDifferent).length;
          const arrived = services.arrived();
          const state = await agent.replay(render(changed, agent.ports));
          expect(services.arrived()).toBe(arrived);
          const mayBe = isNew ? undefined : dependsOnAddress([config, changed]);
          const found = wrongIn(state, cases, countAll(outside), mayBe);
          wrong.push(...found.map((one) => `${name}: ${one}`));
        }
        expect(wrong).toEqual([]);
      },
      limit(240_000),
    );
  },
);

test('the changes were of many kinds, and many made a difference', () => {
  if (process.env.REPLAY_TOLD) console.log(tried);
  expect(Object.keys(tried).length).toBeGreaterThan(Math.min(10, CHANGES / 4));
  expect(Object.values(tried).filter((different) => different > 0).length).toBeGreaterThan(
    Math.min(8, CHANGES / 4),
  );
});
