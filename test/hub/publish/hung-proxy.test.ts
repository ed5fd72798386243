// proof: hub
/** A Caddy that runs but does not answer. */
import { beforeAll, expect, test } from 'bun:test';
import { caddiesOf } from '../../harness/caddys.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { until } from '../../harness/stack.ts';

type Status = { agent: { reachable: boolean }; proxy: { running: boolean } };

const owner = await forFile(startOwner());

beforeAll(() => owner.create('a'));

test('a hanging proxy is not reported as an unreachable agent, however many requests wait for it', async () => {
  const [caddy] = caddiesOf(owner.stack.dataDir);
  if (!caddy) throw new Error('no Caddy runs');
  process.kill(caddy.pid, 'SIGSTOP');
  try {
    const states = Array.from({ length: 4 }, () =>
      owner.call<{ code: string }>('GET', '/vhosts/state'),
    );
    // The second time, the hub's attempt to publish again hangs as well.
    for (let time = 0; time < 2; time++) {
      const { body } = await owner.call<Status>('GET', '/status');
      expect(body).toMatchObject({ agent: { reachable: true }, proxy: { running: false } });
    }
    for (const { status, body } of await Promise.all(states)) {
      expect([status, body.code]).toEqual([502, 'PROXY_UNREACHABLE']);
    }
  } finally {
    process.kill(caddy.pid, 'SIGCONT');
  }
  await until(
    async () => (await owner.call<Status>('GET', '/status')).body.proxy.running,
    'an answer of Caddy',
  );
});
