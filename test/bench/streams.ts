/** What websockets that outlive publishes cost: the memory of a Caddy, each publish with a new websocket. */
import { readFileSync } from 'node:fs';
import { caddiesOf, caddyIs } from '../harness/caddys.ts';
import { startOwner } from '../harness/owner.ts';
import { addSites } from './sites.ts';
import { printTable } from './table.ts';

const SITES = Number(process.env.BENCH_VHOSTS ?? 200);
const PUBLISHES = Number(process.env.BENCH_PUBLISHES ?? 100);

export async function run(): Promise<void> {
  if (!caddyIs('>=2.7.0')) {
    console.log('streams: before Caddy 2.7, every publish closes all websockets\n');
    return;
  }
  const without = await grow(false);
  const within = await grow(true);
  const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  console.log(`Caddy’s memory, MiB, ${SITES} sites, ${PUBLISHES} publishes`);
  printTable(
    ['', 'before', 'after', 'each publish'],
    [
      ['no websockets', mib(without.before), mib(without.after), ''],
      [
        'one more before each publish',
        mib(within.before),
        mib(within.after),
        mib((within.after - without.after) / PUBLISHES),
      ],
    ],
  );
  console.log(`${within.open} of ${PUBLISHES} websockets are open\n`);
}

async function grow(connects: boolean) {
  const upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, server) => (server.upgrade(request) ? undefined : new Response('plain')),
    websocket: { message: () => {} },
  });
  const owner = await startOwner();
  const { stack, headers } = owner;
  await addSites({ hub: stack.hub, headers }, SITES, { upstream: `127.0.0.1:${upstream.port}` });
  const site = await owner.create('changes');
  const [caddy] = caddiesOf(stack.dataDir);
  const memory = () => {
    const found = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${caddy?.pid}/status`, 'utf8'));
    return Number(found?.[1]) * 1024;
  };
  const before = memory();
  const sockets: WebSocket[] = [];
  for (let publish = 0; publish < PUBLISHES; publish++) {
    if (connects) sockets.push(await connect(stack.httpPort));
    await owner.call('PUT', `/vhosts/${site.id}`, { config: `respond ${publish}` });
  }
  const after = memory();
  const open = sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length;
  for (const socket of sockets) socket.close();
  await stack.stop();
  await upstream.stop(true);
  return { before, after, open };
}

function connect(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { Host: 'site-1.example' } });
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socket));
    socket.addEventListener('error', () => reject(new Error('no websocket')));
  });
}
