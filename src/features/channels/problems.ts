/** What is wrong with channels. Pure. */
import type { Problem } from '../../hub/watch/problem.ts';

/** A channel whose oldest message could not be delivered; `detail` says why. */
type FailingChannel = Readonly<{ name: string; since: Date; detail: string }>;

/** Those that have taken nothing for so many milliseconds; each is known by its words. */
export const failingChannels = (
  all: readonly FailingChannel[],
  now: Date,
  milliseconds: number,
): Problem[] =>
  all
    .filter(({ since }) => now.getTime() - since.getTime() >= milliseconds)
    .map(({ name, since, detail }) => {
      const message = `Messages do not reach the channel ${name}: ${detail}`;
      return {
        code: 'CHANNEL_FAILING',
        level: 'warn',
        since: since.toISOString(),
        part: message,
        message,
      };
    });
