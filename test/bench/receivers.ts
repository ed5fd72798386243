/**
 * Publishes beside receivers that hang, fail, redirect, trickle and send a gigabyte, to each of which
 * messages are sent all the time; compared, in the same run, with publishes of the same hub in peace.
 */
import { SECRET } from '../chaos/outage-world.ts';
import { BEHAVIOURS, startReceiver } from '../harness/receiver.ts';
import { ask, signUp, startStack } from '../harness/stack.ts';
import { ms, printTable, sortedPercentiles, timed } from './table.ts';

/** In each of some blocks, which alternate, so that a noisy moment affects both. */
const CHANGES = 50;
const BLOCKS = 4;
/** Between two messages to the same receiver, far more than the hub sends by itself. */
const PAUSE_MS = 100;

export async function run(): Promise<void> {
  const stack = await startStack();
  const { headers } = await signUp(stack);
  const receivers = BEHAVIOURS.filter((how) => how !== 'accepts').map((how) => {
    const receiver = startReceiver(SECRET);
    receiver.behave(how);
    return receiver;
  });
  const channels: number[] = [];
  for (const { url } of receivers) {
    const target = { url: `${url}/hook`, secret: SECRET };
    const json = { name: url, kind: 'webhook', target };
    const { body, text } = await ask<{ id: number }>(`${stack.hub}/channels`, { json, headers });
    if (body.id === undefined) throw new Error(text);
    channels.push(body.id);
  }

  let isOver = true;
  let sent = 0;
  async function keepSending(id: number): Promise<void> {
    while (!isOver) {
      await ask(`${stack.hub}/channels/${id}/test`, { method: 'POST', headers });
      sent++;
      await Bun.sleep(PAUSE_MS);
    }
  }
  async function change(name: string): Promise<number[]> {
    const took: number[] = [];
    let path = '/vhosts';
    for (let number = 0; number < CHANGES; number++) {
      const json = { domain: `http://${name}.example`, config: `respond ${number}` };
      const method = number === 0 ? 'POST' : 'PUT';
      took.push(
        await timed(async () => {
          const sent = { method, json, headers };
          const { status, text, body } = await ask<{ id: number }>(`${stack.hub}${path}`, sent);
          if (status >= 300) throw new Error(text);
          path = `/vhosts/${body.id}`;
        }),
      );
    }
    // The first finds everything cold.
    return took.slice(1);
  }

  await change('warm');
  const peace: number[] = [];
  const beside: number[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    peace.push(...(await change(`peace-${block}`)));
    isOver = false;
    const senders = channels.map(keepSending);
    beside.push(...(await change(`beside-${block}`)));
    isOver = true;
    await Promise.all(senders);
  }
  await stack.stop();
  for (const receiver of receivers) await receiver.stop();
  console.log(`Changes, ms; ${sent} messages were sent to broken receivers meanwhile`);
  printTable(
    ['', 'p50', 'p99'],
    [
      ['in peace', ...sortedPercentiles(peace).map(ms)],
      ['beside broken receivers', ...sortedPercentiles(beside).map(ms)],
    ],
  );
}
