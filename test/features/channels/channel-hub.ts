/** A hub without a Caddy for the tests of a file, and its owner's requests about channels. */
import { forFile } from '../../harness/for-file.ts';
import { startHubAlone } from '../../harness/hub-alone.ts';
import { ask, signUp } from '../../harness/stack.ts';

/** A channel, or what is said of one that is refused. */
export type Channel = {
  id: number;
  code?: string;
  field?: string;
  detail?: string;
  secret?: string;
  target: Record<string, unknown>;
  waiting: number;
  failing: unknown;
};

/** @param env settings of the hub */
export async function hubForChannels(env: Record<string, string> = {}) {
  const stack = await forFile(startHubAlone(env));
  const { headers } = await signUp(stack);
  const call = <T = Channel>(method: string, path: string, json?: unknown) =>
    ask<T>(`${stack.hub}${path}`, { method, headers, json });
  return { stack, headers, call };
}
