/** The outbox, against a real database; the receiver is a stand-in, which fails and hangs as it is told. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { eq } from 'drizzle-orm';
import type { Channel } from '../../../src/features/channels/channels.ts';
import { PACE } from '../../../src/features/channels/hub.ts';
import type { Delivery } from '../../../src/features/channels/message.ts';
import { createSender } from '../../../src/features/channels/sender.ts';
import { channels, messages } from '../../../src/features/channels/tables.ts';
import { type OpenDatabase, openDatabase } from '../../../src/hub/db/open.ts';
import { incidents } from '../../../src/hub/db/schema.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { temporaryFolder, until } from '../../harness/stack.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const DAY = 86_400;
const MESSAGE = {
  ...({ state: 'began', event: 'upstream.down', about: 'a.example', level: 'bad' } as const),
  message: 'It does not answer.',
};

let folder: string;
let database: OpenDatabase;
let seconds: number;
/** By how much the clock is set wrong, in seconds. */
let wrong: number;
let got: { to: number; delivery: Delivery }[];
let lines: string[];
let results: string[];
/** What the receiver does. */
let receive: (channel: Channel, delivery: Delivery) => Promise<void>;
let sender: ReturnType<typeof start>;

const now = () => new Date(NOON + (seconds + wrong) * 1000);
const elapsed = () => seconds * 1000;
const fail = async () => {
  throw new Failure('CHANNEL_FAILED', 'The channel did not accept the message.', {
    detail: 'HTTP 500',
  });
};
const accept = async () => {};

function start() {
  return createSender({
    sealing: { open: () => '{}' },
    db: database.db,
    hub: 'h',
    pace: PACE,
    now,
    elapsed,
    random: () => 0.5,
    async deliver(channel, delivery) {
      await receive(channel, delivery);
      got.push({ to: channel.id, delivery });
    },
    seen: (kind, result) => results.push(`${kind} ${result}`),
    log: (message, fields) => lines.push(`${message} ${JSON.stringify(fields)}`),
  });
}

beforeEach(() => {
  folder = temporaryFolder();
  database = openDatabase(folder);
  [seconds, wrong, got, lines, results, receive] = [0, 0, [], [], [], accept];
  sender = start();
  addChannel();
});
afterEach(async () => {
  await sender.end();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const addChannel = (more: Partial<typeof channels.$inferInsert> = {}) =>
  database.db
    .insert(channels)
    .values({
      name: 'phone',
      kind: 'webhook',
      events: [],
      quiet: null,
      enabled: true,
      target: Buffer.alloc(0),
      createdAt: new Date(0),
      updatedAt: new Date(0),
      ...more,
    })
    .run();

/** Puts messages into the outbox, as of now. */
function put(count = 1, channelId = 1) {
  for (let i = 0; i < count; i++) {
    database.db
      .insert(messages)
      .values({ ...MESSAGE, channelId, at: now(), dueAt: now() })
      .run();
  }
}
const rows = () => database.db.select().from(messages).orderBy(messages.id).all();
const waiting = () => rows().filter(({ sentAt }) => sentAt === null).length;
const sizes = () => got.map(({ delivery }) => delivery.messages.length);

/** Sends every second, or every few, for so long. */
async function pass(forSeconds: number, step = 1) {
  for (let i = 0; i < forSeconds; i += step) {
    seconds += step;
    await sender.send();
  }
}

describe('nothing is sent', () => {
  test('twice', async () => {
    put();
    await sender.send();
    await pass(100);
    expect(got).toHaveLength(1);
  });

  test('to a channel that is disabled, until it is enabled again', async () => {
    addChannel({ enabled: false });
    put(1, 2);
    await pass(10);
    expect(got).toEqual([]);
    database.db.update(channels).set({ enabled: true }).where(eq(channels.id, 2)).run();
    await pass(1);
    expect(got).toMatchObject([{ to: 2 }]);
  });

  test('to one that is deleted, not even what was on its way', async () => {
    const hold = Promise.withResolvers<void>();
    receive = () => hold.promise;
    put(2);
    const sending = sender.send();
    await until(() => rows()[0]?.attempts === 1, 'an attempt');
    database.db.delete(channels).run();
    hold.resolve();
    await sending;
    expect([got.length, rows()]).toEqual([1, []]);
  });

  test('after a stop, which does not wait for a receiver that hangs', async () => {
    receive = () => new Promise(() => {});
    put(2);
    void sender.send();
    await until(() => rows()[0]?.attempts === 1, 'an attempt');
    await sender.end();
    await sender.send();
    expect(rows().map(({ attempts }) => attempts)).toEqual([1, 0]);
    // The same message goes out again after the next start.
    receive = accept;
    sender = start();
    await sender.send();
    expect(got).toHaveLength(2);
  });
});

test('a message says what happened, and one that is over when it began', async () => {
  const began = { ...MESSAGE, subject: 'vhost 1', beganAt: new Date(NOON - 60_000) };
  const { state: _, ...values } = began;
  const incident = database.db
    .insert(incidents)
    .values({ ...values, overAt: now() })
    .returning()
    .get();
  database.db
    .insert(messages)
    .values({
      ...MESSAGE,
      state: 'over',
      channelId: 1,
      incidentId: incident.id,
      at: now(),
      dueAt: now(),
    })
    .run();
  await sender.send();
  expect(got[0]?.delivery.messages).toEqual([
    { ...MESSAGE, state: 'over', id: 1, at: now(), beganAt: new Date(NOON - 60_000) },
  ]);
  expect(rows()).toMatchObject([{ sentAt: now(), error: null, attempts: 1, digest: null }]);
  expect(results).toEqual(['webhook sent']);
});

describe('a receiver that fails', () => {
  test('is asked again later and later, with the same message, and what is new waits', async () => {
    const ids: string[] = [];
    receive = async (_, { id }) => {
      ids.push(id);
      await fail();
    };
    put();
    await sender.send();
    put(2);
    await pass(3_600, 10);
    expect(new Set(ids).size).toBe(1);
    // After 10, 20, 40 … seconds.
    expect([ids.length, rows()[0]?.attempts]).toEqual([9, 9]);
    expect(rows().map(({ error }) => error)).toEqual(['HTTP 500', null, null]);
    expect(results).toEqual(Array(9).fill('webhook failed'));
    receive = accept;
    await pass(3_600, 10);
    expect(sizes()).toEqual([1, 1, 1]);
    expect(got[0]?.delivery.id).toBe(ids[0] ?? '');
    expect(rows().map(({ error }) => error)).toEqual([null, null, null]);
  });

  test.each([
    ['is asked again when it says', 300, 300],
    ['is not asked earlier than without that', 1, 10],
    ['is asked every hour, even if it says never', 999_999, 3_600],
  ])('%s', async (_, retryAfter, expected) => {
    const times: number[] = [];
    receive = async () => {
      times.push(seconds);
      throw new Failure('CHANNEL_FAILED', 'The channel did not accept the message.', {
        retryAfter,
      });
    };
    put();
    await sender.send();
    put();
    while (times.length < 2 && seconds < 4_000) await pass(1);
    expect(times).toEqual([0, expected]);
  });

  test('holds up no other channel, nor does one that hangs', async () => {
    addChannel();
    addChannel();
    receive = ({ id }) => (id === 1 ? new Promise(() => {}) : id === 2 ? fail() : accept());
    for (const channel of [1, 2, 3]) put(2, channel);
    void sender.send();
    await until(() => got.length === 2, 'the third channel');
    expect(got.map(({ to }) => to)).toEqual([3, 3]);
  });

  test('is given up after a week, and that is recorded', async () => {
    receive = fail;
    put();
    await sender.send();
    seconds = 7 * DAY - 1;
    await sender.send();
    expect(waiting()).toBe(1);
    seconds = 8 * DAY;
    await sender.send();
    expect(rows()).toMatchObject([{ sentAt: now(), error: 'HTTP 500', attempts: 2 }]);
    expect(results.at(-1)).toBe('webhook given_up');
    await pass(10);
    expect(results).toHaveLength(3);
  });

  test('is not given up by a clock that is set a week ahead for a while', async () => {
    receive = fail;
    put();
    await sender.send();
    for (const ahead of [8 * DAY, 0, 30 * DAY]) {
      seconds += 1;
      wrong = ahead;
      await sender.send();
      seconds += 2;
      await sender.send();
    }
    wrong = 0;
    receive = accept;
    await sender.send();
    expect(got).toHaveLength(1);
    expect(results).not.toContain('webhook given_up');
  });

  test('is given up by a clock that stays where it was set', async () => {
    receive = fail;
    put();
    await sender.send();
    wrong = 8 * DAY;
    await sender.send();
    expect(waiting()).toBe(1);
    await pass(3_600, 10);
    expect(waiting()).toBe(0);
    expect(results.at(-1)).toBe('webhook given_up');
  });

  test('or what a backup from long ago has is not sent any more', async () => {
    put(7);
    seconds = 7 * DAY;
    put();
    await sender.send();
    expect(sizes()).toEqual([1]);
    expect(rows()[0]).toMatchObject({ sentAt: now(), error: 'Gave up after a week.', attempts: 0 });
    expect(lines).toEqual(['messages given up {"channel":1,"kind":"webhook","count":7}']);
  });

  test('never has its target in a log or an error, whatever is thrown', async () => {
    receive = async () => {
      throw new Error('connect to https://user:secret@hooks.example/TOKEN failed');
    };
    put();
    await sender.send();
    expect(JSON.stringify([rows(), lines])).not.toMatch(/secret|TOKEN|hooks\.example/);
    expect(lines).toHaveLength(1);
    expect(rows()[0]?.error).toBe('The message could not be sent.');
  });
});

describe('many messages', () => {
  test('that come one by one are five, and the rest of the minute is one', async () => {
    for (let i = 0; i < 30; i++) {
      put();
      await pass(1);
    }
    expect(sizes()).toEqual([1, 1, 1, 1, 1]);
    await pass(32);
    expect(sizes()).toEqual([1, 1, 1, 1, 1, 25]);
    put();
    await pass(60);
    expect(sizes()).toEqual([1, 1, 1, 1, 1, 25, 1]);
  });

  test('in quiet hours wait, and are one when these end', async () => {
    const quiet = { from: '13:00', to: '13:02', timeZone: 'Europe/Berlin' };
    addChannel({ quiet });
    for (let i = 0; i < 3; i++) {
      put(1, 2);
      put(1, 1);
      await pass(30);
    }
    expect(got.map(({ to }) => to)).toEqual([1, 1, 1]);
    await pass(29);
    expect(got).toHaveLength(3);
    await pass(1);
    expect([got.at(-1)?.to, sizes().at(-1)]).toEqual([2, 3]);
  });

  test('a digest that fails is sent again as it was; what has come since is another one', async () => {
    receive = fail;
    put(6);
    await sender.send();
    put(7);
    await pass(5);
    receive = accept;
    await pass(60);
    expect(sizes()).toEqual([6, 7]);
    expect(got[0]?.delivery.id).not.toBe(got[1]?.delivery.id ?? '');
  });
});

test('what may have been sent before a crash has the same id after it', async () => {
  addChannel();
  put();
  put(7, 2);
  const ids: string[] = [];
  receive = (_, { id }) => {
    ids.push(id);
    return new Promise(() => {});
  };
  void sender.send();
  await until(() => ids.length === 2, 'both attempts');
  // As if the hub had been killed: nothing is written any more.
  receive = accept;
  put(3, 2);
  sender = start();
  await sender.send();
  expect(
    got
      .map(({ delivery }) => delivery.id)
      .slice(0, 2)
      .toSorted(),
  ).toEqual(ids.toSorted());
  expect(sizes().toSorted()).toEqual([1, 1, 1, 1, 7]);
});

test('a database that cannot be used is logged once each time, and does not end the sender', async () => {
  for (const times of [1, 2]) {
    put();
    database.db.run(
      "CREATE TRIGGER no BEFORE UPDATE ON messages BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    await pass(5);
    expect([got.length, lines.length]).toEqual([times - 1, times]);
    database.db.run('DROP TRIGGER no');
    await pass(1);
    expect(got).toHaveLength(times);
  }
});
