/**
 * The time from `POST /api/vhosts` to the first request that is served, for several numbers of
 * existing vhosts. Compared, in the same run and with the same text, with Caddy alone (`POST /load`
 * of the Caddyfile to its admin endpoint) and with work by hand: write the file, `caddy validate &&
 * caddy reload`.
 */
import { ask, type Stack, signUp, startStack } from '../harness/stack.ts';
import { type ByHand, startByHand, untilServed } from './by-hand.ts';
import { addSites } from './sites.ts';
import { median, ms, printTable, ratio, timed } from './table.ts';

const SIZES = (process.env.BENCH_VHOSTS ?? '1,10,100,1000,5000').split(',').map(Number);
const ROUNDS = 11;

type Bed = { stack: Stack; hand: ByHand; headers: Record<string, string> };

export async function run(): Promise<void> {
  const rows: string[][] = [];
  const more: string[][] = [];
  for (const size of SIZES) {
    const bed = await prepare(size);
    const { ours, raw, byHand } = await compare(bed);
    rows.push([String(size), ms(ours), ms(raw), ms(byHand), ratio(ours, raw), ratio(ours, byHand)]);
    if (size === 10) {
      more.push(...(await atOnce(bed)), ...(await checked(bed)), ...(await underTraffic(bed)));
    }
    await bed.hand.stop();
    await bed.stack.stop();
  }
  console.log(`Create to served, ms, medians of ${ROUNDS}`);
  printTable(['vhosts', 'signalbox', 'raw load', 'by hand', 'to raw', 'to by hand'], rows);
  printTable(['with 10 vhosts', ''], more);
}

async function prepare(size: number): Promise<Bed> {
  const stack = await startStack();
  const { headers } = await signUp(stack);
  await addSites({ hub: stack.hub, headers }, size);
  const hand = await startByHand(stack.settings.agent.proxy.bin, stack.folder);
  return { stack, hand, headers };
}

async function create({ stack, headers }: Bed, host: string): Promise<void> {
  const json = { domain: `http://${host}`, config: `respond ${host}` };
  const made = await ask(`${stack.hub}/vhosts`, { json, headers });
  if (made.status !== 201) throw new Error(`${made.text}\n${stack.lines.join('\n')}`);
  await untilServed(stack.httpPort, host);
}

/** All three in each round, so that a noisy moment affects them equally. */
async function compare(bed: Bed) {
  const { stack, hand } = bed;
  const ours: number[] = [];
  const raw: number[] = [];
  const byHand: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const host = `new-${round}.example`;
    const took = await timed(() => create(bed, host));
    const text = stack.readProxyfile();
    const alone = await timed(() => hand.load(text, stack.httpPort, host));
    const commands = await timed(() => hand.commands(text, stack.httpPort, host));
    // In the first round everything is cold.
    if (round === 0) continue;
    ours.push(took);
    raw.push(alone);
    byHand.push(commands);
    await Bun.sleep(100);
  }
  return { ours: median(ours), raw: median(raw), byHand: median(byHand) };
}

/** The time until all of 50 creates are answered, and so served; compared with a single one. */
async function atOnce(bed: Bed): Promise<string[][]> {
  const answered = async (host: string) => {
    const json = { domain: `http://${host}`, config: `respond ${host}` };
    const made = await ask(`${bed.stack.hub}/vhosts`, { json, headers: bed.headers });
    if (made.status !== 201) throw new Error(made.text);
  };
  const single: number[] = [];
  const many: number[] = [];
  for (let round = 0; round < 5; round++) {
    const hosts = Array.from({ length: 50 }, (_, at) => `burst-${round}-${at}.example`);
    single.push(await timed(() => answered(`single-${round}.example`)));
    await Bun.sleep(100);
    many.push(await timed(() => Promise.all(hosts.map(answered))));
    for (const host of hosts) {
      if ((await bed.stack.served(host)).text !== host) throw new Error(`${host} is not served`);
    }
    const list = await ask<{ id: number; domain: string }[]>(`${bed.stack.hub}/vhosts`, {
      headers: bed.headers,
    });
    const operations = list.body
      .filter(({ domain }) => domain.includes('burst') || domain.includes('single'))
      .map(({ id }) => ({ op: 'delete', id }));
    await ask(`${bed.stack.hub}/vhosts/bulk`, { json: { operations }, headers: bed.headers });
    await Bun.sleep(100);
  }
  const [one, fifty] = [median(single), median(many)];
  return [['50 creates at once', `${ms(fifty)} ms, ${ratio(fifty, one)} one create`]];
}

/** A create that is checked, and one that is not. */
async function checked({ stack, headers }: Bed): Promise<string[][]> {
  const create = async (host: string, check: object | null) => {
    const json = { domain: `http://${host}`, config: 'respond here', check };
    const { status, text } = await ask(`${stack.hub}/vhosts`, { json, headers });
    if (status !== 201) throw new Error(text);
  };
  const without: number[] = [];
  const having: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    without.push(await timed(() => create(`plain-${round}.example`, null)));
    await Bun.sleep(100);
    having.push(await timed(() => create(`checked-${round}.example`, { path: '/' })));
    await Bun.sleep(100);
  }
  const [one, other] = [median(without), median(having)];
  return [['a create with a check', `${ms(other)} ms, ${ratio(other, one)} one without`]];
}

/**
 * Counts the requests lost, of 200 a second on new connections, while 20 changes are published, and
 * while Caddy alone loads 20 configurations.
 */
async function underTraffic(bed: Bed): Promise<string[][]> {
  const { stack, hand } = bed;
  const upstream = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('up') });
  const json = {
    domain: 'http://busy.example',
    config: 'reverse_proxy {upstream}',
    upstream: `127.0.0.1:${upstream.port}`,
  };
  await ask(`${stack.hub}/vhosts`, { json, headers: bed.headers });
  const text = stack.readProxyfile();
  await hand.load(text, stack.httpPort, 'new-1.example');
  const ours = await lost(stack.httpPort, (at) => create(bed, `during-${at}.example`));
  const raw = await lost(hand.port, (at) =>
    hand.load(`${text}\nhttp://raw-${at}.example {\n}\n`, stack.httpPort, 'new-1.example'),
  );
  await upstream.stop(true);
  return [
    ['requests lost during 20 publishes', ours],
    ['requests lost during 20 raw loads', raw],
  ];
}

async function lost(port: number, change: (at: number) => Promise<void>): Promise<string> {
  const requests: Promise<boolean>[] = [];
  const ticker = setInterval(() => {
    const answer = fetch(`http://127.0.0.1:${port}/`, {
      headers: { Host: 'busy.example' },
      keepalive: false,
    });
    requests.push(
      answer.then(
        async (got) => (await got.text()) === 'up',
        () => false,
      ),
    );
  }, 5);
  for (let at = 0; at < 20; at++) {
    await change(at);
    await Bun.sleep(500);
  }
  clearInterval(ticker);
  const answers = await Promise.all(requests);
  return `${answers.filter((good) => !good).length} of ${answers.length}`;
}
