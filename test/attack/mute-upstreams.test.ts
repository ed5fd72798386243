// proof: attack
/** A site may have thousands of upstreams that say nothing. */
import { expect, test } from 'bun:test';
import { createProber } from '../../agent/sites/upstreams/prober.ts';
import { until } from '../harness/stack.ts';

const dialOf = (port: number) => ({ place: { host: '127.0.0.1', port }, tls: null });
const OPEN = 1;

test('upstreams that answer are dialled on while others say nothing', async () => {
  let answers = 0;
  let time = 0;
  const prober = createProber({
    // A stand-in: a thousand of them would take minutes.
    dial: async ({ place }) => {
      if ('port' in place && place.port === OPEN) {
        answers++;
        return { up: true, latencyMs: 1 };
      }
      if (time > 0) await new Promise(() => {});
      return { up: false, reason: 'no answer' };
    },
    now: () => new Date(),
    elapsed: () => time,
    every: 60,
  });
  const all = Array.from({ length: 1_000 }, (_, at) => dialOf(at + OPEN));
  prober.keep(all.toReversed());
  await prober.probe(all, false);
  for (let round = 2; round < 6; round++) {
    time += 1_000;
    await until(() => answers === round, `dial ${round}`);
  }
  prober.stop();
  expect(answers).toBe(5);
});
