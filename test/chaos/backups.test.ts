// proof: chaos
/**
 * Kills a backup, a restore by command and a restore of a running hub at random instants: no broken backup gets a
 * final name, and no database is lost. KILLS sets the number of kills of each.
 */
import { Database } from 'bun:sqlite';
import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../src/features/backups/digest.ts';
import { layDatabase } from '../harness/filled-db.ts';
import { folderForFile } from '../harness/for-file.ts';
import { some } from '../harness/full.ts';
import { runProgram } from '../harness/program.ts';
import { seededRandom } from '../harness/random.ts';
import { limit } from '../harness/speed.ts';
import { ask, freePort, until } from '../harness/stack.ts';

const KILLS = some(5, 100, 'KILLS');
const SEED = Number(process.env.CHAOS_SEED ?? 20261124);
const KEY = `${'k'.repeat(42)}A\n`;
setDefaultTimeout(limit(60_000 + KILLS * 10_000));

const folder = folderForFile();
const dir = join(folder, 'backups');
const dataDir = join(folder, 'data');
const live = join(dataDir, 'signalbox.db');
const key = join(dataDir, 'secret-key');
const random = seededRandom(SEED);
const env = { DATA_DIR: dataDir, BACKUP_DIR: dir, BACKUP_KEEP: '1000' };
let file: string;
/** What the live database and the backup hold. */
let ofLive: string;
let ofBackup: string;

const finals = () => readdirSync(dir).filter((name) => name.endsWith('.db'));
function digestIn(path: string): string {
  const sqlite = new Database(path, { readonly: true });
  try {
    expect(sqlite.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
    return digestOf(sqlite);
  } finally {
    sqlite.close();
  }
}
function run(sql: string): void {
  const sqlite = new Database(live);
  sqlite.run(sql);
  sqlite.close();
}
/** How long a run to its end takes, in milliseconds; a kill is at a random share of it. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
async function killed(args: string[], longest: number): Promise<boolean> {
  const program = runProgram(args, env, folder);
  await Bun.sleep(random.below(Math.ceil(longest)));
  program.child.kill('SIGKILL');
  return (await program.exited()).code !== 0;
}

beforeAll(async () => {
  mkdirSync(dir);
  layDatabase(dataDir, { http: freePort(), https: freePort() });
  writeFileSync(key, KEY, { mode: 0o600 });
  // 8 MB, which take a while.
  run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
     INSERT INTO changelog (user_id, user_name, action, domain, created_at, group_id, diff)
     SELECT 'x', 'x', 'update', 'a.example', i, i, hex(randomblob(1000)) FROM n`,
  );
  expect((await runProgram(['backup'], env, folder).exited()).code).toBe(0);
  file = join(folder, 'kept.db');
  copyFileSync(join(dir, finals()[0] ?? ''), file);
  ofBackup = digestIn(file);
  run("UPDATE vhosts SET upstream = 'later'");
  ofLive = digestIn(live);
  copyFileSync(live, join(folder, 'live.db'));
});

test(`after ${KILLS} kills, no backup is broken, and the next one is made`, async () => {
  let at = 0;
  const change = () => run(`UPDATE vhosts SET upstream = 'n${at++}'`);
  change();
  const longest = await timed(() => runProgram(['backup'], env, folder).exited());
  let cut = 0;
  // More if the machine has become faster since it was measured, and all came too late.
  for (let kill = 0; kill < KILLS || (cut === 0 && kill < 4 * KILLS); kill++) {
    change();
    if (await killed(['backup'], longest)) cut++;
    for (const name of finals()) digestIn(join(dir, name));
  }
  expect(cut).toBeGreaterThan(0);
  change();
  const before = finals().length;
  expect((await runProgram(['backup'], env, folder).exited()).code).toBe(0);
  expect(finals().length).toBe(before + 1);
  expect(readdirSync(dir).filter((name) => name.includes('.part'))).toEqual([]);
});

/** Puts back what a restore replaces. */
function reset(): void {
  for (const name of readdirSync(dataDir))
    if (name.startsWith('signalbox.db')) rmSync(join(dataDir, name));
  copyFileSync(join(folder, 'live.db'), live);
}
/** Either one, whole, and with its key; what was there before is kept. */
function expectWhole(): void {
  const now = digestIn(live);
  expect([ofLive, ofBackup]).toContain(now);
  expect(readFileSync(key, 'utf8')).toBe(KEY);
  const kept = readdirSync(dataDir).filter((name) => /before-restore-[^.]*Z$/.test(name));
  if (now === ofBackup) expect(kept.map((name) => digestIn(join(dataDir, name)))).toContain(ofLive);
}

test(`after ${KILLS} kills of a restore by command, the database is one or the other`, async () => {
  reset();
  const longest = await timed(() => runProgram(['restore', file], env, folder).exited());
  expect(digestIn(live)).toBe(ofBackup);
  for (let kill = 0; kill < KILLS; kill++) {
    reset();
    await killed(['restore', file], longest);
    expectWhole();
  }
  expect((await runProgram(['restore', file], env, folder).exited()).code).toBe(0);
  expect(readdirSync(dataDir).filter((name) => name.includes('restoring'))).toEqual([]);
});

test(`after ${KILLS} kills of a hub that restores, the next one runs`, async () => {
  const name = finals()[0] ?? '';
  copyFileSync(file, join(dir, name));
  const hubEnv = { ...env, HUB_PORT: '0', AGENT_TOKEN: 'x'.repeat(40) };
  let longest = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    reset();
    const hub = runProgram(
      ['hub'],
      { ...hubEnv, AGENT_URL: `http://127.0.0.1:${freePort()}` },
      folder,
    );
    const api = `${await hub.address('hub')}/api`;
    const json = { email: 'ada@example.org', password: 'a long passphrase' };
    const { body } = await ask<{ token: string }>(`${api}/auth/sign-in/email`, { json });
    const headers = { Authorization: `Bearer ${body.token}` };
    const from = performance.now();
    const answer = ask(`${api}/backups/${name}/restore`, { json: {}, headers }).catch(() => null);
    // Soon after the answer, the database is replaced.
    if (kill % 2 === 0) await answer;
    longest ||= performance.now() - from;
    await Bun.sleep(random.below(kill % 2 === 0 ? 200 : Math.ceil(longest)));
    hub.child.kill('SIGKILL');
    await Promise.all([hub.exited(), answer]);
    // A log that was not yet merged is part of the database.
    if (existsSync(`${live}-wal`)) run('PRAGMA wal_checkpoint(TRUNCATE)');
    expectWhole();
    const next = runProgram(
      ['hub'],
      { ...hubEnv, AGENT_URL: `http://127.0.0.1:${freePort()}` },
      folder,
    );
    const again = `${await next.address('hub')}/api`;
    await until(async () => (await ask(`${again}/health`)).status === 200, 'the hub');
    next.child.kill('SIGTERM');
    expect((await next.exited()).code).toBe(0);
  }
});
