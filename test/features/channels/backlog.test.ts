/** What becomes of messages that wait for a channel, or were sent to it, when people change and test it. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createChannels } from '../../../src/features/channels/channels.ts';
import { deliverTest } from '../../../src/features/channels/deliver.ts';
import { PACE } from '../../../src/features/channels/hub.ts';
import { failingChannels } from '../../../src/features/channels/problems.ts';
import { messages } from '../../../src/features/channels/tables.ts';
import { type OpenDatabase, openDatabase } from '../../../src/hub/db/open.ts';
import { createSealing } from '../../../src/hub/db/sealing.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const NOON = new Date('2026-11-20T12:00:00.000Z');
const LATER = new Date('2026-11-20T13:00:00.000Z');
const url = 'https://hooks.example.org/';
const hook = { name: 'Hook', kind: 'webhook', target: { url } } as const;
const message = {
  ...({ channelId: 1, state: 'began', event: 'drift', about: '', level: 'warn' } as const),
  message: '',
  at: NOON,
  dueAt: NOON,
};

let folder: string;
let database: OpenDatabase;
let channels: ReturnType<typeof createChannels>;
beforeEach(() => {
  folder = temporaryFolder();
  database = openDatabase(folder);
  const { db } = database;
  const sealing = createSealing(db, join(folder, 'secret-key'));
  channels = createChannels({ db, sealing, now: () => NOON });
  channels.create(hook);
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const rows = () => database.db.select().from(messages).all();

test('what waits is tried at once when the channel is changed, and only what waits for it', () => {
  channels.create(hook);
  const waiting = { ...message, attempts: 9, error: 'HTTP 404', dueAt: LATER };
  const others = [{ channelId: 2 }, { sentAt: NOON }];
  database.db
    .insert(messages)
    .values([waiting, ...others.map((one) => ({ ...waiting, ...one }))])
    .run();
  channels.update(1, {});
  expect(rows().map(({ dueAt }) => dueAt)).toEqual([LATER, LATER, LATER]);
  channels.update(1, { target: { url: `${url}right` } });
  expect(rows().map(({ dueAt }) => dueAt)).toEqual([NOON, LATER, LATER]);
});

test('what waits is tried at once when a test has arrived, and not when it has not', async () => {
  const waiting = { ...message, attempts: 9, error: 'HTTP 404', dueAt: LATER };
  database.db.insert(messages).values(waiting).run();
  const due = () => rows().find(({ sentAt }) => sentAt === null)?.dueAt;
  const refuse = async () => {
    throw new Failure('CHANNEL_FAILED', 'not taken');
  };
  const core = { db: database.db, now: () => NOON };
  const failed = deliverTest(core, refuse, channels.get(1));
  await expect(failed).rejects.toThrow('not taken');
  expect(due()).toEqual(LATER);
  await deliverTest(core, async () => {}, channels.get(1));
  expect(due()).toEqual(NOON);
});

test('of tests, too, no more than a thousand messages are kept', async () => {
  const values = Array(1_000).fill({ ...message, sentAt: NOON });
  database.db.insert(messages).values(values).run();
  const core = { db: database.db, now: () => NOON };
  for (let sent = 0; sent < 2; sent++) await deliverTest(core, async () => {}, channels.get(1));
  expect(rows().length).toBe(1_000);
  expect(rows().at(-1)).toMatchObject({ state: 'test', sentAt: NOON });
});

test('a channel that takes nothing is a problem after ten minutes', () => {
  const at = (minutes: number) => new Date(Date.UTC(2026, 10, 20, 18, minutes));
  const phone = { name: 'Phone', since: at(0), detail: 'HTTP 403' };
  const message = 'Messages do not reach the channel Phone: HTTP 403';
  expect(failingChannels([phone], at(9), PACE.failing)).toEqual([]);
  expect(failingChannels([phone], at(10), PACE.failing)).toEqual([
    {
      ...({ code: 'CHANNEL_FAILING', level: 'warn' } as const),
      since: '2026-11-20T18:00:00.000Z',
      part: message,
      message,
    },
  ]);
});
