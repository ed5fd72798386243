/**
 * What it costs to ask 1,000 sites every minute: the processor time of hub and agent, as one process on this
 * machine, beside the same without checks; and what their answers take in the database. BENCH_WATCHED sets how
 * many sites, BENCH_SECONDS how long each is measured.
 */
import { Database } from 'bun:sqlite';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createHours } from '../../src/features/uptime/hours.ts';
import { createOverview } from '../../src/features/uptime/overview.ts';
import { openDatabase } from '../../src/hub/db/open.ts';
import { vhosts } from '../../src/hub/db/schema.ts';
import { createStore } from '../../src/hub/model/store.ts';
import { runProgram } from '../harness/program.ts';
import { ask, freePort, signUp, temporaryFolder, until } from '../harness/stack.ts';
import { ms, printTable, timed } from './table.ts';

const SITES = Number(process.env.BENCH_WATCHED ?? 1_000);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 120);
/** After a start, until Caddy and the first rounds are settled. */
const WARM_UP_MS = 30_000;
/** Of /proc/PID/stat. */
const TICKS_PER_SECOND = 100;
const DAYS = 7;

export async function run(): Promise<void> {
  const rows: string[][] = [];
  for (const scheme of ['http', 'https'] as const) rows.push(await cost(scheme));
  console.log(`${SITES} sites, every 60 s: processor time of hub and agent, % of a core`);
  printTable(['', 'without checks', 'with', 'difference', 'requests'], rows);
  printTable(['in the database', ''], await stored());
}

async function cost(scheme: 'http' | 'https'): Promise<string[]> {
  const folder = temporaryFolder();
  const env = {
    DATA_DIR: join(folder, 'data'),
    HUB_PORT: String(freePort()),
    HOME: folder,
    AGENT_PORT: String(freePort()),
    PROXY_HTTP_PORT: String(freePort()),
    PROXY_HTTPS_PORT: String(freePort()),
  };
  const hub = `http://127.0.0.1:${env.HUB_PORT}/api`;
  const asked = { count: 0 };
  const upstream = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      if (request.headers.get('user-agent')?.startsWith('signalbox-check/')) asked.count++;
      return new Response('ready');
    },
  });
  let program = await start();
  const { headers } = await signUp({ hub });
  const operations = Array.from({ length: SITES }, (_, at) => ({
    op: 'create',
    domain: scheme === 'http' ? `http://s${at}.example` : `s${at}.example`,
    config:
      scheme === 'http' ? 'reverse_proxy {upstream}' : 'tls internal\nreverse_proxy {upstream}',
    upstream: `127.0.0.1:${upstream.port}`,
  }));
  const made = await ask(`${hub}/vhosts/bulk`, { headers, json: { operations } });
  if (made.status !== 200) throw new Error(made.text);
  await stop();
  program = await start();
  const without = await share();
  await stop();
  // Not as a change, which would ask all of them at once.
  const database = new Database(join(env.DATA_DIR, 'signalbox.db'));
  database.run(`UPDATE vhosts SET "check" = '{"path":"/"}'`);
  database.close();
  program = await start();
  const from = asked.count;
  const with_ = await share();
  const requests = asked.count - from;
  await stop();
  await upstream.stop(true);
  rmSync(folder, { recursive: true, force: true });
  return [scheme, without, with_, with_ - without].map(percent).concat(String(requests));

  async function start() {
    const started = runProgram([], env, folder, { real: true });
    await until(
      () =>
        ask(`${hub}/health`).then(
          ({ status }) => status === 200,
          () => false,
        ),
      'it',
    );
    return started;
  }
  async function stop() {
    program.child.kill('SIGTERM');
    await program.exited();
  }
  async function share(): Promise<number> {
    await Bun.sleep(WARM_UP_MS);
    const [ticks, at] = [ticksOf(program.child.pid), performance.now()];
    await Bun.sleep(SECONDS * 1_000);
    const seconds = (performance.now() - at) / 1_000;
    return (ticksOf(program.child.pid) - ticks) / TICKS_PER_SECOND / seconds;
  }
}

const percent = (value: number | string): string =>
  typeof value === 'number' ? (100 * value).toFixed(2) : value;

/** In user and kernel mode. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Bytes for each site and day, and how long it takes to store and to read them. */
async function stored(): Promise<string[][]> {
  const folder = temporaryFolder();
  const { db, assertInPlace, close } = openDatabase(folder);
  const times = { createdAt: new Date(), updatedAt: new Date() };
  const fields = { config: '', upstream: '', enabled: true, check: { path: '/' }, ...times };
  const rows = Array.from({ length: SITES }, (_, at) => ({
    id: at + 1,
    position: at,
    domain: `s${at}.example`,
    ...fields,
  }));
  db.insert(vhosts).values(rows).run();
  const pragma = (name: string) => Number(Object.values(db.get(`PRAGMA ${name}`) as object)[0]);
  const sizeOf = () => pragma('page_count') * pragma('page_size');
  const before = sizeOf();
  let now = Date.UTC(2026, 0, 1);
  const hours = createHours(db, () => new Date(now));
  let longest = 0;
  for (let hour = 0; hour < DAYS * 24; hour++) {
    for (let id = 1; id <= SITES; id++) {
      for (let at = 0; at < 60; at++) hours.note(id, at === 0 ? null : 5 + 500 * Math.random());
    }
    longest = Math.max(longest, await timed(async () => hours.store()));
    now += 3_600_000;
  }
  longest = Math.max(longest, await timed(async () => hours.store()));
  const bytes = (sizeOf() - before) / SITES / DAYS;
  const set = createStore({ db, assertInPlace }).load();
  const overview = createOverview(hours);
  const all = await timed(() => overview(set));
  const again = await timed(() => overview(set));
  close();
  rmSync(folder, { recursive: true, force: true });
  return [
    ['bytes of a site and day', bytes.toFixed(0)],
    ['to store what all answered in an hour, ms', ms(longest)],
    [`to read the bars of all, of ${DAYS} days, ms; again`, `${ms(all)}; ${ms(again)}`],
  ];
}
