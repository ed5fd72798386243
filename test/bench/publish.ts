/**
 * From `POST /api/vhosts` to the first request that is served, with so many vhosts there before.
 * Beside it, in the same run and with the same text: Caddy alone (`POST /load` of the Caddyfile to
 * its admin endpoint), and what a person does by hand: write the file, `caddy validate && caddy
 * reload`.
 */
import { join } from 'node:path';
import { openDatabase } from '../../src/db/open.ts';
import { vhosts } from '../../src/db/schema.ts';
import { ask, type Stack, signUp, startStack, temporaryFolder, until } from '../harness/stack.ts';
import { type ByHand, startByHand } from './by-hand.ts';
import { median, ms, printTable, ratio, timed } from './table.ts';

const SIZES = [1, 10, 100, 1_000, 5_000];
const ROUNDS = 11;

type Bed = { stack: Stack; hand: ByHand; headers: Record<string, string> };

export async function run(): Promise<void> {
  const rows: string[][] = [];
  const more: string[][] = [];
  for (const size of SIZES) {
    const bed = await prepare(size);
    const { ours, raw, byHand, hub } = await compare(bed);
    rows.push([
      String(size),
      ms(ours),
      ms(raw),
      ms(byHand),
      ratio(ours, raw),
      ratio(ours, byHand),
      ms(hub),
    ]);
    if (size === 10) more.push(...(await atOnce(bed, ours)), ...(await underTraffic(bed)));
    await bed.hand.stop();
    await bed.stack.stop();
  }
  console.log(`Create to served, ms, medians of ${ROUNDS}`);
  printTable(
    ['vhosts', 'signalbox', 'raw load', 'by hand', 'to raw', 'to by hand', 'hub’s share'],
    rows,
  );
  printTable(['10 vhosts there before', ''], more);
}

async function prepare(size: number): Promise<Bed> {
  const folder = temporaryFolder();
  fill(join(folder, 'data'), size);
  const stack = await startStack({}, folder);
  const { headers } = await signUp(stack);
  const hand = await startByHand(stack.settings.agent.proxy.bin, folder);
  return { stack, hand, headers };
}

async function create({ stack, headers }: Bed, host: string): Promise<void> {
  const json = { domain: `http://${host}`, config: `respond ${host}` };
  const made = await ask(`${stack.hub}/vhosts`, { json, headers });
  if (made.status !== 201) throw new Error(`${made.text}\n${stack.lines.join('\n')}`);
  await until(async () => (await stack.served(host)).text === host);
}

/** One after the other in each round, so that a noisy moment hits all three alike. */
async function compare(bed: Bed) {
  const { stack, hand } = bed;
  const ours: number[] = [];
  const raw: number[] = [];
  const byHand: number[] = [];
  const hub: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const host = `new-${round}.example`;
    const took = await timed(() => create(bed, host));
    const text = stack.readProxyfile();
    const alone = await timed(() => hand.load(text, stack.httpPort, host));
    const commands = await timed(() => hand.commands(text, stack.httpPort, host));
    const agent = await timed(() =>
      ask(`${stack.agent}/proxy/reload`, {
        json: { proxyfile: `${text}# ${round}\n`, probe: ':1 {\n}\n' },
        headers: stack.agentHeaders,
      }),
    );
    // The first round finds everything cold.
    if (round === 0) continue;
    ours.push(took);
    raw.push(alone);
    byHand.push(commands);
    hub.push(took - agent);
    await Bun.sleep(100);
  }
  return { ours: median(ours), raw: median(raw), byHand: median(byHand), hub: median(hub) };
}

async function atOnce(bed: Bed, one: number): Promise<string[][]> {
  const hosts = Array.from({ length: 50 }, (_, at) => `burst-${at}.example`);
  const took = await timed(() => Promise.all(hosts.map((host) => create(bed, host))));
  return [['50 creates at once, all served', `${ms(took)} ms, ${ratio(took, one)} one create`]];
}

/** 200 requests a second, each on a connection of its own, while 20 changes are published. */
async function underTraffic(bed: Bed): Promise<string[][]> {
  const { stack } = bed;
  const upstream = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('up') });
  const json = {
    domain: 'http://busy.example',
    config: 'reverse_proxy {upstream}',
    upstream: `127.0.0.1:${upstream.port}`,
  };
  await ask(`${stack.hub}/vhosts`, { json, headers: bed.headers });
  const url = `http://127.0.0.1:${stack.httpPort}/`;
  const requests: Promise<boolean>[] = [];
  const ticker = setInterval(() => {
    const answer = fetch(url, { headers: { Host: 'busy.example' }, keepalive: false });
    requests.push(
      answer.then(
        async (got) => (await got.text()) === 'up',
        () => false,
      ),
    );
  }, 5);
  for (let change = 0; change < 20; change++) {
    await create(bed, `during-${change}.example`);
    await Bun.sleep(200);
  }
  clearInterval(ticker);
  const answers = await Promise.all(requests);
  await upstream.stop(true);
  const lost = answers.filter((good) => !good).length;
  return [['requests lost during 20 publishes', `${lost} of ${answers.length}`]];
}

/** So many vhosts, as if they had been created one by one. */
function fill(dataDir: string, size: number): void {
  const { db, close } = openDatabase(dataDir);
  const at = new Date();
  db.transaction((tx) => {
    for (let number = 1; number <= size; number++) {
      const row = {
        position: number,
        domain: `http://site-${number}.example`,
        config: 'reverse_proxy {upstream}',
        upstream: '127.0.0.1:9',
        enabled: true,
        createdAt: at,
        updatedAt: at,
      };
      tx.insert(vhosts).values(row).run();
    }
  });
  close();
}
