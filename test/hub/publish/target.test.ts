/** An agent whose proxy hangs. Its client is a stand-in: a Caddy hangs only until its agent starts another. */
import { beforeEach, expect, test } from 'bun:test';
import type { AgentClient } from '../../../src/hub/agents/client.ts';
import type { StoredAgent } from '../../../src/hub/model/agent.ts';
import { createStore } from '../../../src/hub/model/store.ts';
import { PACE } from '../../../src/hub/pace.ts';
import { createTarget, type Target } from '../../../src/hub/publish/target/target.ts';
import { startDatabase } from '../../harness/database.ts';
import { forEachTest } from '../../harness/for-tests.ts';

const database = forEachTest(startDatabase);
let target: Target;
let running: boolean;
beforeEach(() => {
  const store = createStore(database);
  const set = store.load();
  const other = { ...(set.agents[0] as StoredAgent), id: 2 };
  const stored = () => ({ ...set, agents: [...set.agents, other] });
  const client = {
    answers: async () => true,
    status: async () => ({ proxy: { running, version: '2.6.2' } }),
  } as unknown as AgentClient;
  target = createTarget({
    pace: PACE,
    id: 1,
    url: null,
    client,
    store,
    stored,
    importDirs: [],
    startTimer: () => () => {},
    now: () => new Date(),
    log: () => {},
  });
});

test('counts as away until its proxy answers, although the agent does', async () => {
  running = false;
  await target.status();
  expect(target.away()?.code).toBe('PROXY_UNREACHABLE');
  expect(await target.isBack()).toBe(false);
  expect(target.away()?.code).toBe('PROXY_UNREACHABLE');
  running = true;
  expect(await target.isBack()).toBe(true);
  expect(target.away()).toBeNull();
});
