/** When sites are asked between changes, when a check counts as failing, and what is kept of the answers. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { createFailing } from '../../../src/features/uptime/failing.ts';
import { createHours } from '../../../src/features/uptime/hours.ts';
import { createOverview } from '../../../src/features/uptime/overview.ts';
import { type Answer, createRounds, type Heard } from '../../../src/features/uptime/rounds.ts';
import * as own from '../../../src/features/uptime/tables.ts';
import type { Agent } from '../../../src/hub/agents/agents.ts';
import { type OpenDatabase, openDatabase } from '../../../src/hub/db/open.ts';
import * as tables from '../../../src/hub/db/schema.ts';
import { EMPTY_SET, type SiteSet, type Vhost } from '../../../src/hub/model/vhost.ts';
import type { RoundRequest } from '../../../src/shared/wire/checks.ts';
import { folderForFile } from '../../harness/for-file.ts';
import { storedVhost } from '../../harness/vhost.ts';

const AT = new Date('2026-11-22T10:30:00.000Z');
const vhost = (id: number, change: Partial<Vhost> = {}): Vhost =>
  storedVhost({
    id,
    domain: `http://s${id}.example`,
    config: 'respond a',
    check: { path: '/' },
    ...change,
  });
const agentRow = (id: number, name: string) => ({
  id,
  name,
  url: null,
  fingerprint: null,
  generation: 1,
  paused: false,
  preamble: null,
  source: null,
  applied: null,
  createdAt: AT,
  updatedAt: AT,
});
const setOf = (vhosts: readonly Vhost[], agents = [agentRow(1, 'local')]): SiteSet => ({
  ...EMPTY_SET,
  vhosts,
  agents,
});
const RIGHT: Answer = { passed: true, status: 200, reason: 'GET / answered 200', took: 12 };
const WRONG: Answer = { passed: false, status: 502, reason: 'GET / answered 502 instead of 200' };
const nothing = async () => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

describe('the rounds', () => {
  let now = 0;
  let set: SiteSet;
  let asked: { agent: number; names: string[]; at: number }[];
  let heard: Heard[];
  /** What an agent answers; null: it cannot be asked. */
  let answer: (agent: number, name: string) => Promise<Answer> | Answer | null;
  let silent: number[];
  let onTrial: number[];
  const failed = new Set<number>();

  const clientOf = (id: number) =>
    ({
      isSilent: () => silent.includes(id),
      async round({ checks }: RoundRequest) {
        asked.push({ agent: id, names: checks.map(({ name }) => name), at: now });
        const answers = checks.map(({ name }) => answer(id, name));
        if (answers.includes(null)) throw new Error('cannot be asked');
        return { answers: (await Promise.all(answers)) as Answer[] };
      },
    }) as unknown as Agent['client'];

  function start() {
    return createRounds({
      publisher: {
        current: () => set,
        isOnTrial: (id) => onTrial.includes(id),
        agents: {
          all: () => set.agents.map(({ id, name }) => ({ id, name, client: clientOf(id) })),
        } as never,
      },
      hasFailed: ({ id }) => failed.has(id),
      heard: (one) => heard.push(one),
      pace: { second: 1_000 },
      elapsed: () => now,
      random: () => 0.5,
    });
  }
  /** Looks each second. */
  async function pass(rounds: { look(): void }, seconds: number) {
    for (let i = 0; i < seconds; i++) {
      rounds.look();
      await nothing();
      now += 1_000;
    }
  }
  const namesAsked = () => asked.flatMap(({ names }) => names);

  beforeEach(() => {
    [now, asked, heard, silent, onTrial] = [0, [], [], [], []];
    failed.clear();
    answer = () => RIGHT;
    set = setOf([vhost(1)]);
  });

  test('never ask a site that is off, has no check, is asked only at changes, or nobody can name', async () => {
    set = setOf([
      vhost(1, { enabled: false }),
      vhost(2, { check: null }),
      vhost(3, { check: { path: '/', every: 0 } }),
      vhost(4, { domain: '{$SITE}', config: '{$SITE} {\n}' }),
    ]);
    await pass(start(), 200);
    expect(asked).toEqual([]);
  });

  test('ask each as often as it says, spread over the whole time from the start on', async () => {
    set = setOf([
      ...Array.from({ length: 600 }, (_, at) => vhost(at + 1)),
      vhost(601, { check: { path: '/', every: 10 } }),
    ]);
    await pass(start(), 610);
    const counts = new Map<string, number>();
    for (const name of namesAsked()) counts.set(name, (counts.get(name) ?? 0) + 1);
    const often = counts.get('s601.example') ?? 0;
    counts.delete('s601.example');
    expect(counts.size).toBe(600);
    for (const count of counts.values()) expect([9, 10, 11]).toContain(count);
    expect(often).toBeGreaterThan(57);
    expect(often).toBeLessThan(63);
    // Ten a second, and a tenth for the other one.
    const most = Math.max(...asked.map(({ names }) => names.length));
    expect(most).toBeLessThan(30);
    expect(new Set(asked.map(({ at }) => at)).size).toBeGreaterThan(550);
  });

  test('do not make up for what was missed, and never ask a site twice at a time', async () => {
    const rounds = start();
    await pass(rounds, 61);
    now += 3_600_000;
    asked = [];
    await pass(rounds, 5);
    expect(asked).toHaveLength(1);
    const { promise, resolve } = Promise.withResolvers<Answer>();
    answer = () => promise;
    asked = [];
    await pass(rounds, 300);
    expect(asked).toHaveLength(1);
    resolve(RIGHT);
    await pass(rounds, 5);
    expect(asked.length).toBeGreaterThan(1);
  });

  test('ask those that failed apart, as they may hang', async () => {
    const all = Array.from({ length: 200 }, (_, at) => vhost(at + 1));
    set = setOf(all);
    for (const { id } of all) if (id % 2 === 0) failed.add(id);
    await pass(start(), 120);
    for (const { names } of asked) {
      expect(new Set(names.map((name) => Number(/\d+/.exec(name)?.[0]) % 2)).size).toBe(1);
    }
  });

  test('ask each agent for its own sites, and not one that is silent or tries a change', async () => {
    set = setOf(
      [vhost(1), vhost(2, { agents: [2] })],
      [agentRow(1, 'local'), agentRow(2, 'vps'), agentRow(3, 'box')],
    );
    silent = [3];
    const rounds = start();
    await pass(rounds, 125);
    const of = (agent: number) => asked.filter((one) => one.agent === agent);
    expect(new Set(of(1).flatMap(({ names }) => names))).toEqual(new Set(['s1.example']));
    expect(new Set(of(2).flatMap(({ names }) => names)).size).toBe(2);
    expect(of(3)).toEqual([]);
    onTrial = [1];
    asked = [];
    heard = [];
    await pass(rounds, 65);
    expect(of(1)).toEqual([]);
    expect(heard.find(({ vhost: { id } }) => id === 1)?.answers.has(1)).toBe(false);
  });

  test('tell what each agent answered; who could not be asked says nothing', async () => {
    set = setOf([vhost(1)], [agentRow(1, 'local'), agentRow(2, 'vps')]);
    answer = (agent) => (agent === 1 ? RIGHT : WRONG);
    const rounds = start();
    await pass(rounds, 64);
    expect(heard[0]?.answers).toEqual(
      new Map([
        [1, RIGHT],
        [2, WRONG],
      ]),
    );
    answer = (agent) => (agent === 1 ? RIGHT : null);
    await pass(rounds, 64);
    expect(heard.at(-1)?.answers).toEqual(new Map([[1, RIGHT]]));
    const { length } = heard;
    answer = () => null;
    await pass(rounds, 64);
    expect(heard).toHaveLength(length);
  });

  test('drop an answer of a site that was changed meanwhile, or that comes after the stop', async () => {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    answer = () => promise;
    const rounds = start();
    await pass(rounds, 64);
    set = setOf([vhost(1, { tags: ['x'] })]);
    resolve(RIGHT);
    await nothing();
    expect(heard).toEqual([]);
    await pass(rounds, 64);
    expect(heard).toHaveLength(1);
    rounds.end();
    await pass(rounds, 128);
    expect(heard).toHaveLength(1);
  });
});

const folder = folderForFile();
let count = 0;
/** With two agents, and the vhosts of a set. */
function databaseWith(...vhosts: readonly Vhost[]): OpenDatabase {
  const opened = openDatabase(join(folder, String(count++)));
  const { db } = opened;
  db.insert(tables.agents).values(agentRow(2, 'vps')).run();
  for (const one of vhosts)
    db.insert(tables.vhosts)
      .values({ ...one, policies: [] })
      .run();
  return opened;
}

describe('a check fails', () => {
  const site = vhost(1);
  const agents = [agentRow(1, 'local'), agentRow(2, 'vps')];
  const minute = (at: number) => new Date(AT.getTime() + at * 60_000);
  const hearing =
    (failing: ReturnType<typeof createFailing>) =>
    (at: number, ...answers: (Answer | null)[]) =>
      failing.hear(
        {
          vhost: site,
          answers: new Map(answers.flatMap((one, of) => (one ? [[of + 1, one]] : []))),
        },
        minute(at),
      );

  test('once it is wrong twice in a row, until it is right twice in a row, at each agent', () => {
    const database = databaseWith(site);
    const failing = createFailing(database.db, () => setOf([site], agents));
    const hear = hearing(failing);
    const now = () => [failing.of(1, 1)?.since ?? null, failing.of(1, 2)?.since ?? null];
    expect([failing.isUnknown(1, 1), failing.isUnknown(1, 2), failing.isUnknown(2, 1)]).toEqual([
      true,
      true,
      false,
    ]);
    hear(0, WRONG, RIGHT);
    hear(1, RIGHT, RIGHT);
    hear(2, WRONG, RIGHT);
    expect([failing.isUnknown(1, 1), failing.isUnknown(1, 2)]).toEqual([true, false]);
    expect([now(), failing.hasFailed(1)]).toEqual([[null, null], true]);
    hear(3, { ...WRONG, reason: 'else' }, RIGHT);
    expect([now(), failing.of(1, 1)?.reason]).toEqual([[minute(2), null], 'else']);
    // Not known is neither.
    hear(4, null, WRONG);
    hear(5, RIGHT, null);
    hear(6, WRONG, RIGHT);
    hear(7, RIGHT, WRONG);
    expect(now()).toEqual([minute(2), null]);
    hear(8, RIGHT, WRONG);
    expect(now()).toEqual([null, minute(7)]);
    hear(9, RIGHT, RIGHT);
    hear(10, RIGHT, RIGHT);
    expect([now(), failing.hasFailed(1)]).toEqual([[null, null], false]);
    database.close();
  });

  test('still after a restart, until it is right twice, or is not asked any more', () => {
    const database = databaseWith(site);
    const stored = () => database.db.select().from(own.failingChecks).all();
    let set = setOf([site], agents);
    const before = hearing(createFailing(database.db, () => set));
    before(0, WRONG, WRONG);
    before(1, WRONG, WRONG);
    const failing = createFailing(database.db, () => set);
    const hear = hearing(failing);
    expect(failing.of(1, 1)).toEqual({ since: minute(0), reason: WRONG.reason });
    expect(failing.isUnknown(1, 1)).toBe(false);
    hear(2, RIGHT);
    expect(failing.of(1, 1)?.since).toEqual(minute(0));
    hear(3, RIGHT);
    expect([failing.of(1, 1), stored().length]).toEqual([null, 1]);
    set = setOf([vhost(1, { check: { path: '/', every: 0 } })], agents);
    expect([failing.of(1, 2), failing.isUnknown(1, 2)]).toEqual([null, false]);
    failing.forget();
    expect(stored()).toEqual([]);
    set = setOf([site], agents);
    expect([failing.of(1, 2), failing.isUnknown(1, 2)]).toEqual([null, true]);
    database.close();
  });
});

describe('what is kept', () => {
  let now = AT.getTime();
  const clock = () => new Date(now);
  const HOUR = 3_600_000;
  const hour = Math.floor(AT.getTime() / HOUR);
  beforeEach(() => {
    now = AT.getTime();
  });

  test('is each hour with its percentiles, over restarts, and no more than a clean stop loses', () => {
    const { db, close } = databaseWith(vhost(1), vhost(2));
    let hours = createHours(db, clock);
    for (let took = 1; took <= 50; took++) hours.note(1, took);
    hours.note(1, null);
    hours.store();
    // Not stored: lost with a crash.
    hours.note(1, 3);
    hours = createHours(db, clock);
    for (let took = 51; took <= 100; took++) hours.note(1, took + 0.4);
    expect(hours.of(1, 24)).toEqual([{ hour, asked: 101, failed: 1, p50: 50, p95: 95 }]);
    hours.store();
    now += HOUR;
    hours.note(1, null);
    const both = [
      { hour, asked: 101, failed: 1, p50: 50, p95: 95 },
      { hour: hour + 1, asked: 1, failed: 1, p50: null, p95: null },
    ];
    expect(hours.of(1, 24)).toEqual(both);
    hours.store();
    expect(hours.of(1, 24)).toEqual(both);
    expect(hours.of(1, 1)).toEqual(both.slice(1));
    expect(createHours(db, clock).of(1, 24)).toEqual(both);
    expect(hours.of(2, 24)).toEqual([]);
    close();
  });

  test('is 90 days, also if a clock was wrong for a moment', () => {
    const { db, close } = databaseWith(vhost(1));
    const hours = createHours(db, clock);
    const years = 365 * 24 * HOUR;
    const stored = () =>
      db
        .select()
        .from(own.uptime)
        .all()
        .map((one) => one.hour);
    const before = Array.from({ length: 90 * 24 + 5 }, (_, at) => hour - at - 1);
    const values = { vhostId: 1, asked: 60, failed: 0, p50: 1, p95: 2 };
    db.insert(own.uptime)
      .values(before.map((one) => ({ ...values, hour: one })))
      .run();
    hours.note(1, 1);
    now += HOUR;
    hours.store();
    expect([stored().length, stored()[0]]).toEqual([90 * 24 - 1, hour - 90 * 24 + 2]);
    expect(hours.of(1, 90 * 24).length).toBe(90 * 24 - 1);
    now += years;
    hours.note(1, null);
    hours.store();
    now -= years;
    hours.note(1, 1);
    hours.store();
    expect(stored().length).toBe(90 * 24);
    expect(hours.of(1, 90 * 24).length).toBe(90 * 24);
    close();
  });

  test('adds up if the same hour comes again', () => {
    const { db, close } = databaseWith(vhost(1));
    const hours = createHours(db, clock);
    hours.note(1, 5);
    now += HOUR;
    hours.note(1, 6);
    hours.store();
    now -= HOUR;
    hours.note(1, null);
    expect(hours.of(1, 24)).toEqual([{ hour, asked: 2, failed: 1, p50: null, p95: null }]);
    now += HOUR;
    hours.store();
    expect(hours.of(1, 2).map(({ asked, failed }) => [asked, failed])).toEqual([
      [2, 1],
      [1, 0],
    ]);
    close();
  });

  test('goes with the vhost, also what was not stored', () => {
    const { db, close } = databaseWith(vhost(1), vhost(2));
    const hours = createHours(db, clock);
    for (const id of [1, 2]) hours.note(id, 1);
    hours.store();
    now += HOUR;
    for (const id of [1, 2]) hours.note(id, 1);
    db.delete(tables.vhosts).where(eq(tables.vhosts.id, 1)).run();
    hours.store();
    expect([hours.of(1, 24), hours.of(2, 24).length]).toEqual([[], 2]);
    hours.note(1, 1);
    hours.keep(new Set([2]));
    expect(hours.of(1, 24)).toEqual([]);
    for (const table of [own.uptime, own.openHours]) {
      expect(
        db
          .select()
          .from(table)
          .all()
          .map(({ vhostId }) => vhostId),
      ).toEqual([2]);
    }
    close();
  });

  test('makes the bars of all sites with a check: of hours and of days', async () => {
    const { db, close } = databaseWith(vhost(1), vhost(2));
    const hours = createHours(db, clock);
    const set = setOf([vhost(1), vhost(2), vhost(3, { check: null })]);
    now -= 25 * HOUR;
    hours.note(1, null);
    now += 23 * HOUR;
    for (let i = 0; i < 30_000; i++) hours.note(1, 1);
    hours.note(1, null);
    now += HOUR;
    hours.store();
    now += HOUR;
    hours.note(1, 1);
    const overview = createOverview(hours);
    const [one, two, ...others] = await overview(set);
    expect(others).toEqual([]);
    expect(one?.day.bars).toEqual([...Array.from({ length: 21 }, () => null), 0.9999, null, 1]);
    expect(one?.month.bars).toEqual([...Array.from({ length: 28 }, () => null), 0, 0.9999]);
    expect([one?.day.share, one?.month.share]).toEqual([30_001 / 30_002, 30_001 / 30_003]);
    hours.note(1, null);
    expect((await overview(set))[0]?.day.bars.at(-1)).toBe(0.5);
    now += HOUR;
    hours.store();
    expect((await overview(set))[0]?.day.bars.slice(-2)).toEqual([0.5, null]);
    expect([two?.id, two?.day.share, new Set(two?.month.bars)]).toEqual([2, null, new Set([null])]);
    close();
  });
});
