/** Hands messages over to channels of any kind. */
import { within } from '../../shared/async.ts';
import { Failure } from '../../shared/failure.ts';
import { failedWith, notTaken } from './kinds/failing.ts';
import { KINDS } from './kinds/kinds.ts';
import type { Deliver } from './message.ts';
import { textOf } from './texts.ts';

/** However the receiver behaves; ten is what most senders of webhooks allow. */
const DEADLINE_MS = 10_000;

/**
 * @param hub its id, by which receivers can tell several
 * @param deadline milliseconds for one attempt
 */
export function createDeliver(hub: string, deadline = DEADLINE_MS): Deliver {
  return async ({ kind, target, quiet }, delivery) => {
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const text = textOf(delivery, quiet?.timeZone ?? 'UTC');
    const sent = KINDS[kind]
      .send(target, { hub, delivery, text, signal })
      // The message of any other error may contain the target.
      .catch((error) => {
        throw error instanceof Failure ? error : failedWith('');
      });
    await within(sent, deadline, () => {
      giveUp.abort();
      throw notTaken(`no answer within ${deadline / 1000} s`);
    });
  };
}
