/** A Caddy that runs but does not answer. */
import { beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';

type Status = { agent: { reachable: boolean }; proxy: { running: boolean } };

const owner = await forFile(startOwner());

/** The process id of the stack's Caddy, found by its command line. */
function pidOfCaddy(): number {
  const isOurs = (pid: string) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words.includes('run') && words.some((word) => word.startsWith(owner.stack.folder));
    } catch {
      return false;
    }
  };
  const found = readdirSync('/proc').find((name) => /^\d+$/.test(name) && isOurs(name));
  if (found === undefined) throw new Error('no Caddy runs');
  return Number(found);
}

beforeAll(async () => {
  await owner.call('POST', '/vhosts', { domain: 'http://a.example', config: 'respond a' });
});

test('a hanging proxy is not reported as an unreachable agent, however many requests wait for it', async () => {
  const pid = pidOfCaddy();
  process.kill(pid, 'SIGSTOP');
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
    process.kill(pid, 'SIGCONT');
  }
  expect((await owner.call<Status>('GET', '/status')).body.proxy.running).toBe(true);
});
