// proof: chaos
/**
 * Kills and stops a hub, its three agents and their Caddys at any moment, cuts the links between them
 * and fills their disks, while sites change. Soon after each of these, all proxies must serve what is
 * stored; every change that was answered with success must be there, and nothing of one that was
 * refused. CHAOS_EVENTS sets the number of events, CHAOS_SEED their sequence.
 */
import { expect, test } from 'bun:test';
import { startProcesses } from '../harness/fleet-processes.ts';
import { forFile } from '../harness/for-file.ts';
import { FULL, some } from '../harness/full.ts';
import { seededRandom } from '../harness/random.ts';
import { limit } from '../harness/speed.ts';
import { until } from '../harness/stack.ts';
import { createEvents } from './several-events.ts';
import { createInspection } from './several-faults.ts';
import { createModel, heldPort } from './several-model.ts';

const EVENTS = some(5, 40, 'CHAOS_EVENTS');
const SEED = Number(process.env.CHAOS_SEED ?? 20261122);
/** The contract's limit for all proxies to agree again, which most events have to meet. */
const CONTRACT_MS = 5_000;
/** What a busy machine gets. */
const AGREE_MS = 30_000;

const fleet = await forFile(startProcesses(['twin', 'vps']));
await forFile(Bun.udpSocket({ hostname: '0.0.0.0', port: heldPort(fleet) }));

test(
  `all proxies agree after each of ${EVENTS} events (seed ${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const model = createModel(fleet, random);
    const inspection = createInspection(fleet, model);
    const pickEvents = createEvents(fleet, random);
    await model.begin();
    inspection.count();
    const seen = new Map<string, number>();
    const took: number[] = [];
    let inTime = 0;
    for (let done = 0; done < EVENTS; ) {
      const events = pickEvents();
      const names = events.map(({ name }) => name);
      // Earlier changes must survive as well as those in progress.
      if (random.below(2) === 0) await model.storm();
      const storm = model.storm();
      await Bun.sleep(random.below(60));
      for (const { begin } of events) await begin();
      const hold = random.pick([50, 200, 600, random.below(8) === 0 ? 6_000 : 100]);
      const more = random.below(2) === 0 ? storm.then(() => model.storm()) : storm;
      await Promise.race([more, Bun.sleep(hold)]);
      for (const { end } of events.toReversed()) await end();
      const from = performance.now();
      await more;
      const where = { done, names, hold };
      expect({ ...where, faults: inspection.stored() }).toEqual({ ...where, faults: [] });
      let faults: string[] = [];
      await until(
        async () => {
          faults = await inspection.live();
          return faults.length === 0;
        },
        `agreement after ${JSON.stringify(where)}`,
        AGREE_MS,
      ).catch((error) => {
        throw new Error(`${error.message}: ${faults.join('; ')}`);
      });
      const milliseconds = Math.round(performance.now() - from);
      if (milliseconds <= limit(CONTRACT_MS)) inTime++;
      else console.log(`slow: ${milliseconds} ms`, where);
      took.push(milliseconds);
      inspection.count();
      done += events.length;
      for (const name of names) seen.set(name, (seen.get(name) ?? 0) + 1);
    }
    console.log(
      `${EVENTS} events, seed ${SEED}: ${JSON.stringify(model.tally)}, ${JSON.stringify(Object.fromEntries(seen))}, at most ${Math.max(...took)} ms to agree`,
    );
    expect(model.tally.accepted).toBeGreaterThan(EVENTS / 4);
    // A few events may all come while nothing changes, or on a machine that is busy.
    if (!FULL) return;
    expect(inTime).toBeGreaterThan(took.length / 2);
    expect(model.tally.behind).toBeGreaterThan(0);
  },
  limit(Math.max(120_000, EVENTS * 6_000)),
);
