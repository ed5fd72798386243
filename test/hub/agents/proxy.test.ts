/** What the hub knows of the proxy, if nobody can be asked. */
import { describe, expect, test } from 'bun:test';
import type { Agent } from '../../../src/hub/agents/agents.ts';
import { createAgentClient } from '../../../src/hub/agents/client.ts';
import { createReadProxies, createReadProxy } from '../../../src/hub/agents/proxy.ts';
import { freePort } from '../../harness/stack.ts';

test('without an agent, only what is known already', async () => {
  const url = `http://127.0.0.1:${freePort()}`;
  const agent = createAgentClient({ url, token: 'x'.repeat(32) });
  const knowing = (version: string | null) => createReadProxy({ version: () => version }, agent)();
  expect(await knowing(null)).toEqual({ version: null, modules: null });
  expect(await knowing('2.6.2')).toEqual({ version: '2.6.2', modules: null });
});

describe('of several proxies, made up here', () => {
  type Made = { version: string | null; modules?: string[]; isSilent?: boolean };
  const knowing = (...made: Made[]) => {
    const all = made.map(({ modules = null, isSilent = false }, i) => ({
      id: i,
      name: String(i),
      client: {
        isSilent: () => isSilent,
        status: async () => Promise.reject(new Error('gone')),
        modules: async () => ({ modules }),
      },
    }));
    const agents = { all: () => all as unknown as Agent[] } as never;
    return createReadProxies({ agents, version: (name) => made[Number(name)]?.version ?? null })();
  };

  test('a recipe cannot count on what one of them lacks', async () => {
    const found = await knowing(
      { version: '2.10.0', modules: ['a', 'b'] },
      { version: '2.9.1', modules: ['b', 'c'] },
    );
    expect(found).toEqual({ version: '2.9.1', modules: ['b'] });
  });

  test('what is not known of one counts for nothing, nor does one that does not answer', async () => {
    const known = { version: '2.10.0', modules: ['a'] };
    expect(await knowing(known, { version: null })).toEqual(known);
    expect(await knowing(known, { version: '2.6.2', modules: [], isSilent: true })).toEqual(known);
    expect(await knowing({ version: null })).toEqual({ version: null, modules: null });
  });
});
