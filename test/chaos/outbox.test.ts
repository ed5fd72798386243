/** Kills the hub with SIGKILL while it sends: nothing is lost, and what comes twice has the same id. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { isNull } from 'drizzle-orm';
import { openBeside } from '../../src/hub/db/open.ts';
import { channels, messages } from '../../src/hub/db/schema.ts';
import { type Program, runProgram } from '../harness/program.ts';
import { seededRandom } from '../harness/random.ts';
import { type Received, type Receiver, startReceiver } from '../harness/receiver.ts';
import { freePort, temporaryFolder, until } from '../harness/stack.ts';

const KILLS = Number(process.env.CHAOS_KILLS ?? 30);
const SEED = Number(process.env.CHAOS_SEED ?? 20261123);
const SECRET = 'a secret of this test';

const folder = temporaryFolder();
const env = {
  ...{ DATA_DIR: folder, HUB_PORT: String(freePort()), AGENT_TOKEN: 'x'.repeat(40) },
  AGENT_URL: `http://127.0.0.1:${freePort()}`,
};
let receiver: Receiver;
let hub: Program | undefined;
const put: string[] = [];

async function start(): Promise<Program> {
  hub = runProgram(['hub'], env, folder);
  await hub.address('hub');
  return hub;
}

/** The database of the hub that is not running. */
function inDatabase<T>(work: (db: ReturnType<typeof openBeside>['db']) => T): T {
  const { db, close } = openBeside(folder);
  try {
    return work(db);
  } finally {
    close();
  }
}

/** A channel of its own for each, because five a minute are sent one by one. */
function putOut(name: string, count: number): void {
  inDatabase((db) => {
    const at = new Date();
    const target = { url: `${receiver.url}/hook`, secret: SECRET };
    const { id } = db
      .insert(channels)
      .values({
        ...{ name, kind: 'webhook', target, events: ['drift'], quiet: null, enabled: true },
        ...{ createdAt: at, updatedAt: at },
      })
      .returning()
      .get();
    for (let i = 0; i < count; i++) {
      const message = `${name}.${i}`;
      put.push(message);
      db.insert(messages)
        .values({
          ...{ channelId: id, state: 'began', event: 'drift', about: '', level: 'warn', message },
          ...{ at, dueAt: at },
        })
        .run();
    }
  });
}

type Body = { id: string; state: string; message: string; happenings?: { message: string }[] };

const saidIn = ({ body }: Received): { id: string; said: string[] } => {
  const { id, message, happenings } = JSON.parse(body) as Body;
  return { id, said: happenings?.map((one) => one.message) ?? [message] };
};

beforeAll(async () => {
  receiver = startReceiver(SECRET);
  const first = await start();
  first.child.kill('SIGTERM');
  await first.exited();
});
afterAll(async () => {
  hub?.child.kill('SIGKILL');
  await hub?.child.exited;
  await receiver.stop();
  rmSync(folder, { recursive: true, force: true });
});

test(`${KILLS} kills`, async () => {
  const random = seededRandom(SEED);
  for (let kill = 0; kill < KILLS; kill++) {
    for (let channel = 0; channel < 4; channel++) putOut(`${kill}.${channel}`, 1 + random.below(8));
    const before = receiver.received.length;
    const running = await start();
    // As soon as it sends, or a little later: in the middle of one of its steps.
    const most = before + random.below(12);
    await until(() => receiver.received.length >= most || waiting() === 0, 'messages');
    await Bun.sleep(random.below(12));
    running.child.kill('SIGKILL');
    await running.child.exited;
  }
  const last = await start();
  await until(() => waiting() === 0, 'all messages', 100_000);
  last.child.kill('SIGTERM');
  expect((await last.exited()).code).toBe(0);

  const all = receiver.received.map(saidIn);
  const ids = new Map<string, Set<string>>();
  for (const { id, said } of all) {
    for (const message of said) ids.set(message, (ids.get(message) ?? new Set()).add(id));
  }
  expect(put.filter((message) => !ids.has(message))).toEqual([]);
  expect([...ids].filter(([, of]) => of.size > 1)).toEqual([]);
  const contents = Map.groupBy(all, ({ id }) => id);
  const differing = [...contents.values()].filter(
    (same) => new Set(same.map(({ said }) => said.join())).size > 1,
  );
  expect(differing).toEqual([]);
  expect(receiver.received.every(({ genuine }) => genuine)).toBe(true);
  const twice = all.length - contents.size;
  console.log(
    `${put.length} messages in ${contents.size} deliveries, of which ${twice} came twice`,
  );
}, 300_000);

const waiting = (): number =>
  inDatabase((db) => db.select().from(messages).where(isNull(messages.sentAt)).all().length);
