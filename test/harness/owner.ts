/** A stack and its owner, with shortcuts for the requests that many tests make. */
import type { Paces } from '../../src/program/serve/running.ts';
import { ask, signUp, startStack } from './stack.ts';

/** Some fields of a vhost, a verdict or an error. */
export type Body = {
  id: number;
  code?: string;
  message?: string;
  field?: string;
  detail?: string | null;
  hint?: string;
  line?: number | null;
  config: string;
  domain: string;
  valid: boolean;
  diff: string;
  proxyfile: string;
};
export type Entry = { id: number; action: string; domain: string; diff: string | null };

export type Owner = Awaited<ReturnType<typeof startOwner>>;

/** Starts a stack and creates the owner's account. A site's name is that in `NAME.example`. */
export async function startOwner(env: Record<string, string> = {}, folder?: string, paces?: Paces) {
  const stack = await startStack(env, folder, paces);
  const { headers } = await signUp(stack);
  const call = <T = Body>(
    method: string,
    path: string,
    json?: unknown,
    more: Record<string, string> = {},
  ) => ask<T>(`${stack.hub}${path}`, { method, headers: { ...headers, ...more }, json });

  return {
    stack,
    stop: () => stack.stop(),
    headers,
    call,
    create: async (name: string, config = `respond ${name}`) =>
      (await call('POST', '/vhosts', { domain: `http://${name}.example`, config })).body,
    served: async (name: string) => (await stack.served(`${name}.example`)).text,
    changelog: async (query = '') => (await call<Entry[]>('GET', `/changelog${query}`)).body,
    /** What a refused change must leave as it is. */
    everything: async () => ({
      list: (await call('GET', '/vhosts')).text,
      log: (await call('GET', '/changelog')).text,
      preamble: (await call('GET', '/preamble')).text,
      policies: (await call('GET', '/policies')).text,
      file: stack.readProxyfile(),
    }),
  };
}
