/** The problem that all visitors have the address of a proxy, found in the log of a real Caddy. */
import { expect, test } from 'bun:test';
import { caddyIs } from '../../harness/caddys.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { USUAL } from '../../harness/pace.ts';
import { ask, until } from '../../harness/stack.ts';

type Problem = { code: string; level: string; message: string };

const own = { ...USUAL.hub.own, 'same-address': { look: 100, tick: 100 } };
const owner = await forFile(
  startOwner({ SIGNALBOX_FEATURES: 'same-address' }, undefined, {
    ...USUAL,
    hub: { ...USUAL.hub, own },
  }),
);

const problems = async () =>
  (await owner.call<{ problems: Problem[] }>('GET', '/status')).body.problems.filter(
    ({ code }) => code === 'SAME_ADDRESS',
  );

test('it is there while Caddy does not know the proxy', async () => {
  await owner.create('seen');
  const url = `http://127.0.0.1:${owner.stack.httpPort}`;
  const headers = { Host: 'seen.example', 'X-Forwarded-For': '203.0.113.7' };
  for (let sent = 0; sent < 200; sent += 20) {
    await Promise.all(Array.from({ length: 20 }, () => ask(url, { headers })));
  }
  const [problem, ...others] = await until(async () => {
    const found = await problems();
    return found.length > 0 && found;
  }, 'the problem');
  expect(others).toEqual([]);
  expect(problem?.level).toBe('notice');
  expect(problem?.message).toContain('come from 127.0.0.1 and have the header X-Forwarded-For');
  if (caddyIs('<2.8.0')) return;
  const { status } = await owner.call('PUT', '/preamble', { trustedProxies: ['127.0.0.1'] });
  expect(status).toBe(200);
  await until(async () => (await problems()).length === 0, 'the end of the problem');
});
