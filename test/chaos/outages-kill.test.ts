// proof: chaos
/**
 * `kill -9` of the hub while outages come and go: before one is reported, while a message is on its way,
 * so that nobody can know whether it arrived, and while that is sent again. None is lost, and one that
 * comes twice has the same id. OUTAGE_KILLS sets the number of kills, OUTAGE_SEED their instants.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { inDatabase } from '../harness/database.ts';
import { forFile } from '../harness/for-file.ts';
import { some } from '../harness/full.ts';
import { QUICK } from '../harness/pace.ts';
import { seededRandom } from '../harness/random.ts';
import { limit } from '../harness/speed.ts';
import { until } from '../harness/stack.ts';
import { arrivedAt, awaited, lineOf } from './inbox.ts';
import { startWorld } from './outage-world.ts';
import { expireCertificate, type Outage } from './outages.ts';

const KILLS = some(4, 12, 'OUTAGE_KILLS');
const SEED = Number(process.env.OUTAGE_SEED ?? 20261122);
/** An outage has to last longer before it is reported. */
const UNREPORTED_MS = 0.9 * QUICK.hub.watch.settles;
/** About what a start takes until the first message is sent. */
const STARTING_MS = 600;
const TIMEOUT_MS = limit(60_000 + KILLS * 30_000);

const world = await forFile(startWorld([], ['certificate.ending']));

test(
  `${KILLS} kills lose no message (seed ${SEED})`,
  async () => {
    const { fleet, receiver } = world;
    const random = seededRandom(SEED);
    let killed = 0;
    let expected = 0;
    async function kill(): Promise<void> {
      await fleet.hub.kill();
      killed++;
    }
    async function killAround(outages: readonly Outage[], state: 'began' | 'over'): Promise<void> {
      // On a slow machine, a message is on its way before the first kill.
      receiver.behave('hangs');
      const before = receiver.received.length;
      for (const outage of outages) await (state === 'began' ? outage.begin() : outage.end());
      await Bun.sleep(random.below(UNREPORTED_MS));
      await kill();
      await fleet.hub.revive();
      await until(() => receiver.received.length > before, `a message that ${state}`, 60_000);
      await kill();
      receiver.behave('accepts');
      await fleet.hub.revive();
      await Bun.sleep(random.below(STARTING_MS));
      await kill();
      await fleet.hub.revive();
      for (const outage of outages) await awaited(receiver, outage, state);
      await until(() => waiting(fleet.hubFolder) === 0, 'the last message to be recorded as sent');
      expected += outages.length;
      expect(arrivedAt(receiver).map(lineOf)).toHaveLength(expected);
    }

    for (let round = 0; killed < KILLS; round++) {
      const outages = [
        await expireCertificate(fleet, `one-${round}.example`),
        await expireCertificate(fleet, `two-${round}.example`),
      ];
      await killAround(outages, 'began');
      await killAround(outages, 'over');
    }
    await world.calm();
    const twice = receiver.received.length - arrivedAt(receiver).length;
    console.log(`${killed} kills, ${expected} messages, ${twice} of them sent again`);
    expect(arrivedAt(receiver).map(lineOf)).toHaveLength(expected);
    expect(twice).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

/** How many messages the hub has not recorded as sent. */
const waiting = (hubFolder: string): number =>
  inDatabase(join(hubFolder, 'data'), (db) =>
    db.query('SELECT id FROM messages WHERE sent_at IS NULL').all(),
  ).length;
