/** `/replays` end to end: what a change would do to requests that came through a real Caddy. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Replayed } from '../../../../src/features/replay/replays.ts';
import { REPLAY_MS } from '../../../../src/features/replay/wire.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import { EMPTIED, npmDatabase, npmForm } from '../../../harness/npm-database.ts';
import { startOwner } from '../../../harness/owner.ts';
import { sendRaw } from '../../../harness/raw.ts';
import { limit } from '../../../harness/speed.ts';
import { type Answer, ask, until } from '../../../harness/stack.ts';

// Visitors come first, so on a busy machine a replay may take all the time that it has.
setDefaultTimeout(limit(2 * REPLAY_MS));

type Started = { id: string; replay?: string; code?: string };

const owner = await forFile(startOwner({ UPSTREAM_PROBE: 'false' }));
const { call } = owner;
let asked = 0;
const serve = () =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch() {
      asked++;
      return new Response('an answer');
    },
  });
const [one, two] = [serve(), serve()];
const at = ({ port }: { port?: number | undefined }) => `127.0.0.1:${port}`;
afterAll(() => Promise.all([one.stop(true), two.stop(true)]));

const visit = (port: number, host: string, path: string, localAddress = '127.0.0.1') =>
  sendRaw(
    `http://127.0.0.1:${port}`,
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    { localAddress },
  );

/** Waits for the end of a replay. */
async function found({ status, body, text }: Answer<Started>): Promise<Replayed> {
  const id = body.replay ?? body.id;
  if (status >= 300 || !id) throw new Error(text);
  return until(
    async () => {
      const state = (await call<Replayed>('GET', `/replays/${id}`)).body;
      return state.state === 'running' ? undefined : state;
    },
    'the end of the replay',
    REPLAY_MS,
  );
}
const short = ({ groups }: Replayed) =>
  groups.map(({ domain, requests, count, before, after }) => ({
    domain,
    requests,
    count,
    changed: [before.status, before.to, after.status, after.to],
  }));

for (const [name, upstream] of [
  ['one', one],
  ['two', two],
] as const) {
  const site = { domain: `http://${name}.example`, config: 'reverse_proxy {upstream}' };
  await call('POST', '/vhosts', { ...site, upstream: at(upstream) });
}
const { httpPort } = owner.stack;
for (const path of ['/a', '/a', '/a', '/b']) await visit(httpPort, 'one.example', path);
for (const path of ['/a', '/a']) await visit(httpPort, 'one.example', path, '127.0.0.2');
for (const path of ['/x', '/x', '/y', '/z?token=secret']) {
  await visit(httpPort, 'two.example', path);
}
await until(
  async () => (await call<{ total: number }>('GET', '/logs')).body.total === 10,
  'the entries',
);
asked = 0;
afterAll(() => expect(asked).toBe(0));

const replay = (...operations: object[]) => call<Started>('POST', '/replays', { operations });
const moved = { op: 'update', id: 1, upstream: at(two) };
const toTwo = { changed: [200, at(one), 200, at(two)] };

test('another upstream is a difference of each request to its site', async () => {
  const state = await found(await replay(moved));
  expect(state).toMatchObject({ state: 'done', done: 3, of: 3, same: 0, differ: 3 });
  expect(short(state)).toEqual([{ domain: 'one.example', requests: 3, count: 6, ...toTwo }]);
  expect(state.groups[0]).toMatchObject({ visitors: 2 });
});

test('a policy that shuts one address out concerns only that', async () => {
  const policy = { name: 'shut', recipe: 'block', values: { networks: ['127.0.0.2'] } };
  const state = await found(await replay({ op: 'policy', ...policy, everywhere: true }));
  if (caddyIs('>=2.7.0')) {
    expect(state).toMatchObject({ state: 'done', done: 6, same: 5, differ: 1 });
    expect(state.groups).toMatchObject([
      { domain: 'one.example', requests: 1, count: 2, after: { status: 403, to: null } },
    ]);
    expect(state.groups[0]?.examples).toMatchObject([{ path: '/a', ip: '127.0.0.2' }]);
  } else {
    expect(state.groups).toEqual([]);
    expect(state.leftOut.reduce((sum, { count }) => sum + count, 0)).toBe(10);
  }
});

test('an undo is asked before it is made', async () => {
  await call('PUT', '/vhosts/1', { upstream: at(two) });
  const [{ id, group } = { id: 0, group: 0 }] = (
    await call<{ id: number; group: number }[]>('GET', '/changelog')
  ).body;
  for (const undo of [{ id }, { group }]) {
    const state = await found(await replay({ op: 'undo', ...undo }));
    const changed = [200, at(two), 200, at(one)];
    expect(short(state)).toEqual([{ domain: 'one.example', requests: 3, count: 6, changed }]);
  }
  await call('POST', `/changelog/${id}/revert`);
});

test('so is a dry run with replay=true', async () => {
  const npm = await ask<Started>(`${owner.stack.hub}/import/npm?dryRun=true&replay=true`, {
    headers: owner.headers,
    raw: npmForm(npmDatabase(EMPTIED)),
  });
  expect(await found(npm)).toMatchObject({ state: 'done', differ: 0 });
});
