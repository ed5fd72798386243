/** A hub with several agents that reports to a webhook: one channel for each of some events. */
import type { EventName } from '../../src/shared/events.ts';
import { type Processes, startProcesses } from '../harness/fleet-processes.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { until } from '../harness/stack.ts';
import { awaited } from './inbox.ts';
import type { Outage } from './outages.ts';

export type World = {
  readonly fleet: Processes;
  readonly receiver: Receiver;
  /** Makes a channel to a webhook. @param events none: all */
  report(receiver: Receiver, events: readonly EventName[]): Promise<void>;
  /** Waits until nothing is wrong, and the hub has seen so. */
  calm(): Promise<void>;
  stop(): Promise<void>;
};

export const SECRET = 'the secret of the webhooks';

/**
 * @param agents besides the first
 * @param events that the receiver gets, each by a channel of its own: one channel would sum up what
 * comes at the same time
 * @param real at the real pace
 */
export async function startWorld(
  agents: readonly string[],
  events: readonly EventName[],
  real = false,
): Promise<World> {
  const fleet = await startProcesses(agents, real);
  const receiver = startReceiver(SECRET);
  let number = 0;
  async function report({ url }: Receiver, wanted: readonly EventName[]): Promise<void> {
    const { status, text } = await fleet.call('POST', '/channels', {
      name: `channel ${number++}`,
      kind: 'webhook',
      events: wanted,
      target: { url: `${url}/hook`, secret: SECRET },
    });
    if (status !== 201) throw new Error(text);
  }
  for (const event of events) await report(receiver, [event]);
  return {
    fleet,
    receiver,
    report,
    async calm() {
      await until(
        async () => {
          const { status, body } = await fleet.call<unknown[]>('GET', '/incidents?open=true');
          return status === 200 && body.length === 0;
        },
        'no open incident',
        90_000,
      );
    },
    async stop() {
      await fleet.stop();
      await receiver.stop();
    },
  };
}

/** How long both messages took, in milliseconds. */
export type Delays = { began: number; over: number };

/** One outage from its beginning to the message that it is over. @throws Error if one is not there in time */
export async function runOutage({ receiver }: World, outage: Outage): Promise<Delays> {
  const from = Date.now();
  await outage.begin();
  const began = await awaited(receiver, outage, 'began', from);
  const to = Date.now();
  await outage.end();
  const over = await awaited(receiver, outage, 'over', to);
  return { began: began.at - from, over: over.at - to };
}
