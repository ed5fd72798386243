/** What viewers get of a site's state: that something is wrong, and not the words that may quote a config. */
import { expect, test } from 'bun:test';
import { stateForViewers } from '../../../src/hub/watch/for-viewers.ts';
import type { VhostState } from '../../../src/hub/watch/sites/view.ts';
import { vhostState } from '../../harness/facts.ts';

const SECRET = 's3cret';
const plain = vhostState();

test('what is not wrong stays so', () => {
  expect(stateForViewers(plain)).toMatchObject({ problem: null, check: null, upstreams: [] });
});

test('reasons are left out, for the site and each of its agents', () => {
  const failing = {
    ...plain,
    problem: `line 1: ${SECRET}`,
    check: { failingSince: '2026-11-20T18:00:00.000Z', reason: SECRET },
    errors: { acme: SECRET, upstream: SECRET },
  };
  const state = { ...failing, agents: [{ name: 'vps', ...failing }] } as unknown as VhostState;
  const shown = stateForViewers(state);
  expect(JSON.stringify(shown)).not.toContain(SECRET);
  expect(shown.check).toMatchObject({ failingSince: '2026-11-20T18:00:00.000Z' });
  expect(shown.problem).toBeString();
  expect(shown.agents?.[0]?.check).not.toBeNull();
});
