/** A hub without a Caddy for the tests of a file, and its owner's requests about channels. */
import type { ChannelView } from '../../../src/features/channels/schema.ts';
import { forFile } from '../../harness/for-file.ts';
import { startHubAlone } from '../../harness/hub-alone.ts';
import type { Body } from '../../harness/owner.ts';
import { ask, signUp } from '../../harness/stack.ts';

/** A channel, or what is said of one that is refused. */
export type Channel = ChannelView & Body & { secret?: string };

/** @param env settings of the hub */
export async function hubForChannels(env: Record<string, string> = {}) {
  const stack = await forFile(startHubAlone(env));
  const { headers } = await signUp(stack);
  const call = <T = Channel>(method: string, path: string, json?: unknown) =>
    ask<T>(`${stack.hub}${path}`, { method, headers, json });
  return { stack, headers, call };
}
