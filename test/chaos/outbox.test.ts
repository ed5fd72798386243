// proof: chaos
/** Kills the hub with SIGKILL while it sends: nothing is lost, and what comes twice has the same id. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { openBeside } from '../../src/hub/db/open.ts';
import { createSealing } from '../../src/hub/db/sealing.ts';
import { secretKeyIn } from '../../src/program/data-folder.ts';
import { inDatabase } from '../harness/database.ts';
import { forFile } from '../harness/for-file.ts';
import { some } from '../harness/full.ts';
import { type Program, runProgram } from '../harness/program.ts';
import { seededRandom } from '../harness/random.ts';
import { type Received, startReceiver } from '../harness/receiver.ts';
import { limit } from '../harness/speed.ts';
import { freePort, temporaryFolder, until } from '../harness/stack.ts';

const KILLS = some(6, 30, 'CHAOS_KILLS');
const SEED = Number(process.env.CHAOS_SEED ?? 20261123);
const SECRET = 'a secret of this test';

const folder = temporaryFolder();
const env = {
  DATA_DIR: folder,
  HUB_PORT: String(freePort()),
  AGENT_TOKEN: 'x'.repeat(40),
  AGENT_URL: `http://127.0.0.1:${freePort()}`,
};
const receiver = await forFile(startReceiver(SECRET));
let hub: Program | undefined;
let beside: ReturnType<typeof openBeside>;
let channels = 0;
const put: string[] = [];

async function start(): Promise<Program> {
  hub = runProgram(['hub'], env, folder);
  await hub.address('hub');
  return hub;
}

const NEW_CHANNEL = `INSERT INTO channels (id, name, kind, target, events, enabled, created_at, updated_at)
  VALUES (?, ?, 'webhook', ?, '["drift"]', 1, 0, 0)`;
const NEW_MESSAGE = `INSERT INTO messages (channel_id, state, event, about, level, message, at, due_at)
  VALUES (?, 'began', 'drift', '', 'warn', ?, ?, ?)`;

const sealTarget = (id: number): Buffer =>
  createSealing(beside.db, secretKeyIn(folder)).seal(
    JSON.stringify({ url: `${receiver.url}/hook`, secret: SECRET }),
    `channels ${id} target`,
  );

/** A channel of its own for each, because five a minute are sent one by one. */
function enqueue(name: string, count: number): void {
  inDatabase(folder, (db) => {
    const id = ++channels;
    db.run(NEW_CHANNEL, [id, name, sealTarget(id)]);
    for (let i = 0; i < count; i++) {
      const message = `${name}.${i}`;
      put.push(message);
      db.run(NEW_MESSAGE, [id, message, Date.now(), Date.now()]);
    }
  });
}

type Body = { id: string; state: string; message: string; happenings?: { message: string }[] };

const saidIn = ({ body }: Received): { id: string; said: string[] } => {
  const { id, message, happenings } = JSON.parse(body) as Body;
  return { id, said: happenings?.map((one) => one.message) ?? [message] };
};

beforeAll(async () => {
  const first = await start();
  first.child.kill('SIGTERM');
  await first.exited();
  beside = openBeside(folder);
});
afterAll(async () => {
  hub?.child.kill('SIGKILL');
  await hub?.child.exited;
  beside.close();
  rmSync(folder, { recursive: true, force: true });
});

test(
  `${KILLS} kills`,
  async () => {
    const random = seededRandom(SEED);
    for (let kill = 0; kill < KILLS; kill++) {
      for (let channel = 0; channel < 4; channel++)
        enqueue(`${kill}.${channel}`, 1 + random.below(8));
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
  },
  limit(300_000),
);

const waiting = (): number =>
  inDatabase(folder, (db) => db.query('SELECT 1 FROM messages WHERE sent_at IS NULL').all().length);
