/**
 * A stand-in for a program that runs as Caddy does, but for one thing, which it is called with. Programs that are
 * no good in such ways cannot be had otherwise. `at last`: only once visitors get it.
 */
import { readFileSync, writeSync } from 'node:fs';
import { limit } from './speed.ts';

const [mode = ''] = process.argv.slice(2);

type Config = {
  admin: { listen?: string };
  apps?: { http?: { servers?: Record<string, { listen: string[] }> } };
  logging?: { logs?: { signalbox_access?: { '@id'?: string } } };
};

const forever = () => new Promise<never>(() => {});
// Whatever becomes of the test.
setTimeout(() => process.exit(1), limit(60_000));

const opened: Bun.Server<undefined>[] = [];
let admin: Bun.Server<undefined> | undefined;
let config: Config;

/** @throws Error for what it refuses */
function load(next: Config): void {
  const { listen = '' } = next.admin;
  const isLast = listen !== '' && next.apps !== undefined;
  if (mode === 'refuses' && next.apps) throw new Error('loading config: not today');
  if (mode === 'refuses at last' && isLast) throw new Error('loading config: not so late');
  // Once the restart was answered.
  if (mode === 'ends soon at last' && isLast) setTimeout(() => process.exit(1), limit(500));
  for (const one of opened.splice(0)) void one.stop(true);
  const servers = Object.values(next.apps?.http?.servers ?? {});
  for (const address of new Set(servers.flatMap((server) => server.listen))) {
    const at = address.lastIndexOf(':');
    const hostname = address.slice(0, at) || '0.0.0.0';
    if (mode === 'opens nothing') continue;
    if (mode === 'opens nothing at last' && isLast) continue;
    const port = Number(address.slice(at + 1));
    opened.push(Bun.serve({ hostname, port, reusePort: true, idleTimeout: 0, fetch: answer }));
  }
  config = next;
  if (mode === 'forgets its endpoint' && isLast) config = { admin: next.admin };
  if (listen !== '') openAdmin(listen.replace(/^unix\//, ''));
}

async function answer(): Promise<Response> {
  if (mode === 'never answers') await forever();
  if (mode === 'answers errors') return new Response('no', { status: 502 });
  if (mode === 'redirects') return Response.redirect('http://elsewhere.example/', 302);
  return new Response('of a bad program');
}

function openAdmin(unix: string): void {
  const before = admin;
  if (before?.url.pathname.endsWith(unix)) return;
  admin = Bun.serve({
    unix,
    async fetch(request): Promise<Response> {
      const { pathname } = new URL(request.url);
      if (pathname === '/metrics') return new Response('');
      if (pathname.endsWith('/@id')) {
        return Response.json(config.logging?.logs?.signalbox_access?.['@id'] ?? null);
      }
      if (pathname === '/adapt') {
        return Response.json({ result: await adapted(await request.text()) });
      }
      if (pathname !== '/load') return Response.json(config.admin);
      if (mode === 'hangs at the load') await forever();
      try {
        load((await request.json()) as Config);
        return new Response('');
      } catch (error) {
        return Response.json({ error: (error as Error).message }, { status: 400 });
      }
    },
  });
  // After the answer to the load, as Caddy does.
  if (before) setTimeout(() => before.stop(), 50);
}

async function adapted(text: string): Promise<unknown> {
  const command = ['caddy', 'adapt', '--config', '/dev/stdin', '--adapter', 'caddyfile'];
  return new Response(Bun.spawn(command, { stdin: new Blob([text]) }).stdout).json();
}

if (mode === 'ends at once') process.exit(1);
const first: Config = JSON.parse(readFileSync(0, 'utf8'));
if (mode === 'ends at last' && first.admin.listen) process.exit(1);
try {
  load(first);
} catch (error) {
  writeSync(2, `Error: ${(error as Error).message}\n`);
  process.exit(1);
}
