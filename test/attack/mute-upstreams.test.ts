// proof: attack
/** A site may have thousands of upstreams that say nothing. */
import { expect, test } from 'bun:test';
import type { DialUpstream } from '../../agent/sites/upstreams/dial.ts';
import { createProber } from '../../agent/sites/upstreams/prober.ts';
import { until } from '../harness/stack.ts';

const dialOf = (port: number) => ({ place: { host: '127.0.0.1', port }, tls: null });
const OPEN = 1;

test('upstreams that answer are dialled on while others say nothing', async () => {
  let answers = 0;
  let time = 0;
  // A stand-in: a thousand of them would take minutes.
  const dial: DialUpstream = async ({ place }) => {
    if ('port' in place && place.port === OPEN) {
      answers++;
      return { up: true, latencyMs: 1 };
    }
    if (time > 0) await new Promise(() => {});
    return { up: false, reason: 'no answer' };
  };
  const prober = createProber(
    dial,
    60,
    () => new Date(),
    () => time,
  );
  const all = Array.from({ length: 1_000 }, (_, at) => dialOf(at + OPEN));
  prober.keep(all.toReversed());
  await prober.probe(all, false);
  for (let round = 2; round < 6; round++) {
    time += 1_000;
    await until(() => answers === round, `dial ${round}`);
  }
  await prober.end();
  expect(answers).toBe(5);
});
