/** Testing a channel, its deliveries, and that its secrets are nowhere to be seen. */
import { Database } from 'bun:sqlite';
import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { forFile } from '../../harness/for-file.ts';
import { startReceiver } from '../../harness/receiver.ts';
import { ask, hasFeature } from '../../harness/stack.ts';
import { hubForChannels } from './channel-hub.ts';

const SECRET = 'a-secret-of-the-receiver';
const receiver = await forFile(startReceiver(SECRET));

type Delivery = { outcome: string; attempts: number; sentAt: string | null; error: string | null };
const { stack, headers, call } = await hubForChannels({ LOG_LEVEL: 'debug' });
afterEach(() => receiver.behave('accepts'));

const create = async (url = `${receiver.url}/hook`, more: object = {}) => {
  const json = { name: 'Hook', kind: 'webhook', target: { url, secret: SECRET }, ...more };
  return (await call('POST', '/channels', json)).body.id;
};
const deliveries = async () => (await call<Delivery[]>('GET', '/deliveries')).body;

test('a failure shows nothing of the target, and nor does anything else', async () => {
  const port = new URL(receiver.url).port;
  const answers: string[] = [];
  const remember = async <T>(answer: Promise<{ text: string; body: T }>) => {
    const { text, body } = await answer;
    answers.push(text);
    return body;
  };
  const hook = await create(`${receiver.url}/a-path`);
  const dead = await create('http://127.0.0.1:1/a-path');
  receiver.behave('fails');
  for (const [id, detail] of [
    [hook, 'HTTP 500'],
    [dead, 'connection refused, or no route'],
  ] as const) {
    const body = await remember(call('POST', `/channels/${id}/test`));
    expect([body.code, body.detail]).toEqual(['CHANNEL_FAILED', detail]);
    await remember(call('GET', `/channels/${id}`));
  }
  receiver.behave('accepts');
  await remember(call('POST', `/channels/${hook}/test`));
  for (const path of ['/channels', '/deliveries', '/export', '/changelog', '/status']) {
    await remember(call('GET', path));
  }
  const metrics = await ask(stack.hub.replace(/\/api$/, '/metrics'), { headers });
  if (hasFeature('metrics')) expect(metrics.text).toContain('signalbox_');
  expect(stack.lines.join('\n')).toContain('/channels/:id/test');
  for (const text of [...answers, metrics.text, ...stack.lines]) {
    expect(text).not.toContain('a-path');
    expect(text).not.toContain(SECRET);
  }
  // The proxy's own port is shown; a webhook's, too, but nowhere else.
  expect((await call<object>('GET', '/deliveries')).text).not.toContain(port);
  expect((await call<object[]>('GET', '/changelog')).body).toEqual([]);
});

test('a test is delivered at once, whatever else, and recorded', async () => {
  const time = '00:00';
  const id = await create(undefined, {
    enabled: false,
    events: ['drift'],
    quiet: { from: time, to: '23:59', timeZone: 'UTC' },
  });
  const count = receiver.received.length;
  const { status, body } = await call<object>('POST', `/channels/${id}/test`);
  expect([status, body]).toEqual([200, { success: true }]);
  const [received] = receiver.received.slice(count);
  expect(received?.genuine).toBe(true);
  expect(JSON.parse(received?.body ?? '')).toMatchObject({ state: 'test', event: null });
  const [latest] = await deliveries();
  expect(latest).toMatchObject({
    channel: { id, name: 'Hook' },
    state: 'test',
    event: null,
    outcome: 'sent',
    attempts: 1,
    error: null,
    digest: null,
  });
  receiver.behave('fails');
  await call('POST', `/channels/${id}/test`);
  const [failed] = await deliveries();
  expect(failed).toMatchObject({ outcome: 'failed', error: 'HTTP 500', sentAt: null });
  // It is not tried again, and says nothing about what is under way.
  expect((await call('GET', `/channels/${id}`)).body).toMatchObject({ waiting: 0, failing: null });
});

test('a channel that is deleted during its test takes its deliveries along', async () => {
  const other = startReceiver(SECRET);
  const id = await create(`${other.url}/hook`);
  await call('POST', `/channels/${id}/test`);
  other.behave('hangs');
  const tested = call('POST', `/channels/${id}/test`);
  await other.awaited(({ behaviour }) => behaviour === 'hangs', 'the request');
  expect((await call('DELETE', `/channels/${id}`)).status).toBe(200);
  await other.stop();
  expect((await tested).body.detail).toBe('the connection was closed');
  const found = (await call<{ channel: { id: number } }[]>('GET', '/deliveries')).body;
  expect(found.filter(({ channel }) => channel.id === id)).toEqual([]);
});

test('a channel says how many messages wait for it, and since when they fail', async () => {
  // Disabled, so that nothing is sent meanwhile.
  const id = await create(undefined, { enabled: false });
  const other = await create(undefined, { enabled: false });
  const db = new Database(join(stack.dataDir, 'signalbox.db'));
  const insert = db.prepare(
    `INSERT INTO messages (channel_id, state, event, about, level, message, at, due_at, attempts, sent_at, error)
     VALUES (?, 'began', 'drift', '', 'warn', 'x', ?, ?, ?, ?, ?)`,
  );
  for (const [at, attempts, sentAt, error] of [
    [5_000, 0, null, null],
    [4_000, 1, null, 'HTTP 503'],
    [3_000, 2, null, 'HTTP 500'],
    [2_000, 9, 2_500, 'HTTP 404'],
    [1_000, 1, 1_500, null],
  ] as const) {
    insert.run(id, at, at, attempts, sentAt, error);
  }
  insert.run(other, 1_000, 1_000, 0, null, null);
  db.close();
  expect((await call('GET', `/channels/${id}`)).body).toMatchObject({
    waiting: 3,
    failing: { since: '1970-01-01T00:00:03.000Z', detail: 'HTTP 500' },
  });
  expect((await call('GET', `/channels/${other}`)).body).toMatchObject({
    waiting: 1,
    failing: null,
  });
  const outcomes = (await deliveries()).slice(0, 6).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['waiting', 'sent', 'failed', 'waiting', 'waiting', 'waiting']);
});
