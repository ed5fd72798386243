// proof: chaos
/** Receivers that break delay neither a change nor another channel, and get their messages once they work. */
import { expect, test } from 'bun:test';
import type { Site } from '../harness/fleet-processes.ts';
import { forFile } from '../harness/for-file.ts';
import { BEHAVIOURS, startReceiver } from '../harness/receiver.ts';
import { limit } from '../harness/speed.ts';
import { until } from '../harness/stack.ts';
import { arrivedAt, awaited, lineOf } from './inbox.ts';
import { SECRET, startWorld } from './outage-world.ts';
import { cutAgent } from './outages.ts';

const TIMEOUT_MS = limit(180_000);
/** Much more than what the hub reads of an answer, much less than all of it. */
const SOME = 64 * 2 ** 20;

const broken = await Promise.all(
  BEHAVIOURS.filter((how) => how !== 'accepts').map(async (how) => ({
    how,
    to: await forFile(startReceiver(SECRET)),
  })),
);
/** Made after all that break, so that one after the other it would come last. */
const last = await forFile(startReceiver(SECRET));
const world = await forFile(startWorld(['away'], ['agent.unreachable']));

test(
  'a receiver that breaks harms nobody, and gets its messages in the end',
  async () => {
    const { fleet, receiver } = world;
    for (const { how, to } of broken) to.behave(how);
    for (const { to } of broken) await world.report(to, ['agent.unreachable']);
    await world.report(last, ['agent.unreachable']);
    const [local, away] = fleet.sites as [Site, Site];
    const outage = cutAgent(away, 'refuses');
    await outage.begin();
    await awaited(receiver, outage, 'began');
    await awaited(last, outage, 'began');
    // No other channel waits for one that hangs: that has not been given up yet.
    const { text: early } = await fleet.call('GET', '/deliveries');
    expect(early).not.toContain(GIVEN_UP);
    for (const { how, to } of broken) await until(() => to.received.length > 0, how);

    for (const number of [1, 2, 3]) {
      const answer = await fleet.call('POST', '/vhosts', {
        domain: `http://new-${number}.example`,
        config: 'respond x',
        agents: [local.name],
      });
      expect(answer.status).toBe(201);
    }
    await outage.end();
    await awaited(receiver, outage, 'over');
    expect(arrivedAt(receiver).map(lineOf)).toHaveLength(2);

    const listed = await until(async () => {
      const { body, text } = await fleet.call<{ error: string | null }[]>('GET', '/deliveries');
      const errors = body.flatMap(({ error }) => error ?? []);
      return new Set(errors).size === REASONS.length && { errors, text };
    }, 'every reason');
    expect(new Set(listed.errors)).toEqual(new Set(REASONS));
    for (const { to } of broken) {
      expect(listed.text).not.toContain(to.url);
      expect(to.flooded).toBeLessThan(SOME);
      expect(to.received.map(({ path }) => path)).not.toContain('/elsewhere');
    }

    for (const { to } of broken) to.behave('accepts');
    for (const { how, to } of broken) {
      await until(() => arrivedAt(to).length === 2, `what ${how} missed`, 90_000);
    }
  },
  TIMEOUT_MS,
);

/** As deliveries say why they failed. */
const GIVEN_UP = 'no answer within 10 s';
const REASONS = ['HTTP 500', 'HTTP 307: redirects are not followed', GIVEN_UP];
