/** The owner of a stack, with shortcuts for the requests that many tests make. */
import { ask, type Stack, signUp } from './stack.ts';

/** Some fields of a vhost, a verdict or an error. */
export type Body = {
  id: number;
  code?: string;
  detail?: string | null;
  line?: number | null;
  config: string;
  domain: string;
  valid: boolean;
  diff: string;
  proxyfile: string;
};
export type Entry = { id: number; action: string; domain: string; diff: string | null };

export type Owner = Awaited<ReturnType<typeof signUpOwner>>;

/** Creates the owner's account. Sites are named by the first label of `NAME.example`. */
export async function signUpOwner(stack: Stack) {
  const { headers } = await signUp(stack);
  const call = <T = Body>(
    method: string,
    path: string,
    json?: unknown,
    more: Record<string, string> = {},
  ) =>
    ask<T>(`${stack.hub}${path}`, {
      method,
      headers: { ...headers, ...more },
      ...(json === undefined ? {} : { json }),
    });

  return {
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
      file: stack.readProxyfile(),
    }),
  };
}
