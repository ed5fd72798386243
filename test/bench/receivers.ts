/**
 * Publishes beside receivers that hang, fail, redirect, trickle and send a gigabyte, to each of which
 * messages are sent all the time; compared, in the same run, with publishes of the same hub in peace.
 */
import { SECRET } from '../chaos/outage-world.ts';
import { BEHAVIOURS, startReceiver } from '../harness/receiver.ts';
import { ask, signUp, startStack } from '../harness/stack.ts';
import { ms, printTable, sortedPercentiles, timed } from './table.ts';

const CHANGES = 200;

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

  let isOver = false;
  let sent = 0;
  async function keepSending(id: number): Promise<void> {
    while (!isOver) {
      await ask(`${stack.hub}/channels/${id}/test`, { method: 'POST', headers });
      sent++;
    }
  }
  async function change(name: string): Promise<number[]> {
    const took: number[] = [];
    for (let number = 0; number < CHANGES; number++) {
      const json = { domain: `http://${name}.example`, config: `respond ${number}` };
      took.push(
        await timed(async () => {
          const method = number === 0 ? 'POST' : 'PUT';
          const path = number === 0 ? '' : `?domain=${encodeURIComponent(json.domain)}`;
          const { status, text } = await ask(`${stack.hub}/vhosts${path}`, {
            ...{ method, json, headers },
          });
          if (status >= 300) throw new Error(text);
        }),
      );
    }
    // The first finds everything cold.
    return took.slice(1);
  }

  await change('warm');
  const peace = await change('peace');
  const senders = channels.map(keepSending);
  const beside = await change('beside');
  isOver = true;
  await Promise.all(senders);
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
