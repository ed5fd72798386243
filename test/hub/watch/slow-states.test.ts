// proof: hub
/** An agent that is there, and takes long to say how all sites are. A stand-in: only a busy machine is that slow. */
import { expect, test } from 'bun:test';
import type { Agent } from '../../../src/hub/agents/agents.ts';
import { EMPTY_SET } from '../../../src/hub/model/vhost.ts';
import type { Publisher } from '../../../src/hub/publish/publisher.ts';
import { NO_CHECKS } from '../../../src/hub/watch/checks.ts';
import { createStates } from '../../../src/hub/watch/sites/states.ts';
import { siteState } from '../../harness/facts.ts';
import { storedVhost } from '../../harness/vhost.ts';

const vhost = storedVhost();
const site = siteState();

function start({ running }: { running: boolean }) {
  const known = { isSlow: false, gone: new Error('gone') };
  const client = {
    isSilent: () => false,
    status: async () => ({ proxy: { running, version: '2.11.4' }, closed: [] }),
    async sites() {
      if (!known.isSlow) return { sites: [site] };
      await Bun.sleep(4_000);
      throw known.gone;
    },
  };
  const agent = { id: 1, name: 'local', client } as unknown as Agent;
  const publisher = {
    current: () => ({ ...EMPTY_SET, vhosts: [vhost] }),
    standings: () => [],
    agents: { all: () => [agent], first: () => agent, named: () => agent },
  } as unknown as Publisher;
  return {
    known,
    states: createStates(
      publisher,
      NO_CHECKS,
      () => null,
      () => new Date(),
    ),
  };
}

test('what it said last counts, and without that its sites are being checked', async () => {
  const { known, states } = start({ running: true });
  known.isSlow = true;
  expect(await states.all()).toMatchObject([{ id: 1, checking: true, problem: null }]);
  known.isSlow = false;
  expect((await states.all())[0]?.addresses).toMatchObject([{ served: true }]);
  known.isSlow = true;
  const [state] = await states.all();
  expect([state?.checking, state?.addresses[0]?.served]).toEqual([undefined, true]);
});

test('nothing is said of a proxy that does not run', async () => {
  const { known, states } = start({ running: false });
  known.isSlow = true;
  await expect(states.all()).rejects.toBe(known.gone);
});
