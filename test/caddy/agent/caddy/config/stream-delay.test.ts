/** Which websockets a publish leaves open: those of sites that turn nobody away, since Caddy 2.7. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { caddyIs } from '../../../../harness/caddys.ts';
import { some } from '../../../../harness/full.ts';
import { type Owner, startOwner } from '../../../../harness/owner.ts';
import { until } from '../../../../harness/stack.ts';

const PUBLISHES = some(4, 50);
const survives = caddyIs('>=2.7.0');

const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request, server) => (server.upgrade(request) ? undefined : new Response('plain')),
  websocket: { message: (socket, text) => void socket.send(text) },
});
const proxied = `reverse_proxy 127.0.0.1:${upstream.port}`;

/** All of them let this visitor in; those that could refuse one are named in `GUARDED`. */
const CONFIGS: Record<string, string> = {
  plain: proxied,
  own: `${proxied} {\n\tstream_close_delay 1h\n}`,
  nested: `handle_path /* {\n\troute {\n\t\t${proxied}\n\t}\n}`,
  hidden: `respond /private 404\n${proxied}`,
  failing: `@put method PUT\nerror @put 403\n${proxied}`,
  paths: `handle / {\n\t${proxied}\n}\nhandle {\n\tabort\n}`,
  robots: proxied,
  redirects: `redir /old /new\n${proxied}`,
  allowed: proxied,
  outside: `@outside not remote_ip 127.0.0.1\nabort @outside\n${proxied}`,
  password: `handle /private {\n\tBASICAUTH {\n\t\tada $2a$10$aH8rmZ.9H3pPDXFYyXTYUeTgxRmhzx9L7xRkx8FG2Ka5xvbSVYEAe\n\t}\n}\n${proxied}`,
  fallback: `@home remote_ip 127.0.0.1\nhandle @home {\n\t${proxied}\n}\nhandle {\n\terror 403\n}`,
  cookie: `@stranger header Cookie stranger\nrespond @stranger 403\n${proxied}`,
  asking: `forward_auth /private 127.0.0.1:${upstream.port} {\n\turi /\n}\n${proxied}`,
};
const GUARDED = ['allowed', 'outside', 'password', 'fallback', 'cookie', 'asking'];
const POLICIES: Record<string, string[]> = { allowed: ['home'], robots: ['bots'] };
const BASICAUTH = ['BASICAUTH', caddyIs('>=2.8.0') ? 'basic_auth' : 'basicauth'] as const;
if (!survives) delete CONFIGS.own;

let owner: Owner;
beforeAll(async () => {
  owner = await startOwner();
  for (const [name, recipe, values] of [
    ['home', 'allow', { networks: ['private_ranges'] }],
    ['bots', 'robots', {}],
  ]) {
    const { status, text } = await owner.call('POST', '/policies', { name, recipe, values });
    expect([status, text]).toEqual([201, expect.any(String)]);
  }
  for (const [name, config] of Object.entries(CONFIGS)) {
    const policies = POLICIES[name] ?? [];
    const site = {
      domain: `http://${name}.example`,
      config: config.replace(...BASICAUTH),
      policies,
    };
    const { status, text } = await owner.call('POST', '/vhosts', site);
    expect([status, text]).toEqual([201, expect.any(String)]);
  }
});
afterAll(async () => {
  await owner.stack.stop();
  await upstream.stop(true);
});

/** A websocket through Caddy, and whether it is still open. */
async function connect(name: string) {
  const socket = new WebSocket(`ws://127.0.0.1:${owner.stack.httpPort}/`, {
    headers: { Host: `${name}.example` },
  });
  let closed = false;
  let last: unknown;
  socket.addEventListener('close', () => {
    closed = true;
  });
  socket.addEventListener('message', ({ data }) => {
    last = data;
  });
  await until(() => socket.readyState === WebSocket.OPEN || closed, `${name} to be connected`);
  return {
    socket,
    /** Whether what is sent comes back; false once it is closed. */
    async echoes(text: string): Promise<boolean> {
      if (!closed) socket.send(text);
      await until(() => closed || last === text, `${name} to answer or to close`);
      return !closed;
    },
    isClosed: () => closed,
  };
}

let published = 0;
const publish = () => owner.create(`new-${published++}`);

describe('after a publish', () => {
  test('a websocket of a site that can refuse a visitor is closed', async () => {
    for (const name of GUARDED) {
      const socket = await connect(name);
      expect(await socket.echoes('before')).toBe(true);
      await publish();
      await until(socket.isClosed, `${name} to be closed`);
    }
  });

  test('one of any other site goes on, since Caddy 2.7', async () => {
    const names = Object.keys(CONFIGS).filter((name) => !GUARDED.includes(name));
    const sockets = await Promise.all(names.map(connect));
    for (let round = 0; round < PUBLISHES; round++) {
      for (const socket of sockets) {
        if (round === 0 || survives) expect(await socket.echoes(`${round}`)).toBe(true);
      }
      await publish();
      if (!survives) {
        for (const { isClosed } of sockets) await until(isClosed, 'the close');
        return;
      }
    }
    for (const { socket } of sockets) socket.close();
  });

  test('the Caddyfile knows nothing of it', () => {
    const [before, after] = owner.stack.readProxyfile().split('own.example');
    expect(before).not.toContain('stream_close_delay');
    expect(after?.match(/stream_close_delay/g) ?? []).toHaveLength(survives ? 1 : 0);
  });
});
