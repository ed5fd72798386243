/** What the hub knows of the proxy, if nobody can be asked. */
import { expect, test } from 'bun:test';
import { createAgentClient } from '../../../src/hub/agent-client/client.ts';
import { createReadProxy } from '../../../src/hub/publish/proxy.ts';
import { freePort } from '../../harness/stack.ts';

test('without an agent, only what is known already', async () => {
  const url = `http://127.0.0.1:${freePort()}`;
  const agent = createAgentClient({ url, token: 'x'.repeat(32) });
  const knowing = (version: string | null) =>
    createReadProxy({ publisher: { version: () => version }, agent })();
  expect(await knowing(null)).toEqual({ version: null, modules: null });
  expect(await knowing('2.6.2')).toEqual({ version: '2.6.2', modules: null });
});
