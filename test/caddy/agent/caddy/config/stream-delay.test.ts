/** Which websockets a publish leaves open: those of sites that turn nobody away, since Caddy 2.7. */
import { afterAll, describe, expect, test } from 'bun:test';
import { caddyIs } from '../../../../harness/caddys.ts';
import { forFile } from '../../../../harness/for-file.ts';
import { some } from '../../../../harness/full.ts';
import { startOwner } from '../../../../harness/owner.ts';
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
  some: `@home remote_ip 127.0.0.1\n${proxied.replace(' ', ' @home ')}`,
  login: `@outside not remote_ip 127.0.0.1\nredir @outside https://login.example\n${proxied}`,
  sockets: `@ws {\n\theader Connection *Upgrade*\n\theader Upgrade websocket\n}\n${proxied.replace(' ', ' @ws ')}`,
  cookie: `@stranger header Cookie stranger\nrespond @stranger 403\n${proxied}`,
  asking: `forward_auth /private 127.0.0.1:${upstream.port} {\n\turi /\n}\n${proxied}`,
};
const GUARDED = ['allowed', 'outside', 'password', 'fallback', 'some', 'login', 'cookie', 'asking'];
const POLICIES: Record<string, string[]> = { allowed: ['home'], robots: ['bots'] };
const BASICAUTH = ['BASICAUTH', caddyIs('>=2.8.0') ? 'basic_auth' : 'basicauth'] as const;
if (!survives) delete CONFIGS.own;

const owner = await forFile(startOwner());
for (const [name, recipe, values] of [
  ['home', 'allow', { networks: ['private_ranges'] }],
  ['bots', 'robots', {}],
]) {
  const { status, text } = await owner.call('POST', '/policies', { name, recipe, values });
  expect([status, text]).toEqual([201, expect.any(String)]);
}
for (const [name, config] of Object.entries(CONFIGS)) {
  const policies = POLICIES[name] ?? [];
  const site = { domain: `http://${name}.example`, config: config.replace(...BASICAUTH), policies };
  const { status, text } = await owner.call('POST', '/vhosts', site);
  expect([status, text]).toEqual([201, expect.any(String)]);
}
afterAll(() => upstream.stop(true));

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

describe('the answer to a change', () => {
  type Answer = { id: number; warnings?: { code: string; message: string }[] };
  const open = ({ warnings = [] }: Answer) => warnings.filter(({ code }) => code === 'STILL_OPEN');
  const UPSTREAM = `127.0.0.1:${upstream.port}`;
  const said = (count: number) =>
    survives
      ? [
          {
            code: 'STILL_OPEN',
            message: `${count === 1 ? '1 connection to' : `${count} connections to`} ${UPSTREAM} ${count === 1 ? 'was' : 'were'} open: websockets stay open for up to 24 hours, or until Caddy restarts`,
          },
        ]
      : [];
  const put = async (name: string, change: object) =>
    (await owner.call<Answer>('PUT', `/vhosts/${await idOf(name)}`, change)).body;
  const idOf = async (name: string) =>
    (await owner.call<(Answer & { domain: string })[]>('GET', '/vhosts')).body.find(
      ({ domain }) => domain === `http://${name}.example`,
    )?.id;
  /** Until Caddy has so many requests open there. */
  const untilOpen = (count: number) =>
    until(async () => {
      const { body } = await owner.call<{ upstreams: { address: string; requests: number }[] }>(
        ...(['GET', `/vhosts/${await idOf('plain')}/state`] as const),
      );
      return body.upstreams.find(({ address }) => address === UPSTREAM)?.requests === count;
    }, `${count} open requests`);

  test('warns of what stays open of a site that is guarded now, switched off or deleted', async () => {
    await untilOpen(0);
    for (const name of ['one', 'two', 'three', 'four', 'idle']) await owner.create(name, proxied);
    expect(open(await put('idle', { policies: ['home'] }))).toEqual([]);
    const sockets = await Promise.all(['one', 'two', 'three', 'four'].map(connect));
    // Nothing is shut out by that.
    expect(open(await put('one', { policies: ['bots'] }))).toEqual([]);
    const guarded = await put('one', { policies: ['bots', 'home'] });
    expect(open(guarded)).toEqual(said(4));
    if (!survives) return;
    expect(await sockets[0]?.echoes('still')).toBe(true);
    // One that was guarded before keeps what it says itself.
    const own = { domain: 'http://own-delay.example', config: CONFIGS.own, policies: ['home'] };
    expect((await owner.call('POST', '/vhosts', own)).status).toBe(201);
    sockets.push(await connect('own-delay'));
    expect(open(await put('own-delay', { policies: ['home', 'bots'] }))).toEqual([]);
    sockets.at(-1)?.socket.close();
    await untilOpen(4);
    expect(open(await put('two', { enabled: false }))).toEqual(said(4));
    const gone = await owner.call<Answer>('DELETE', `/vhosts/${await idOf('three')}`);
    expect(gone.body).toEqual({ success: true, warnings: said(4) } as never);
    expect(await sockets[2]?.echoes('still')).toBe(true);

    const bulk = await owner.call<{ results: Answer[] }>('POST', '/vhosts/bulk', {
      operations: [
        { op: 'delete', id: await idOf('four') },
        { op: 'delete', id: await idOf('idle') },
      ],
    });
    expect(bulk.body.results.map(open)).toEqual([said(4), []]);

    const made = await owner.call<Answer>('POST', '/policies', {
      name: 'wide',
      recipe: 'allow',
      values: { networks: ['private_ranges'] },
      everywhere: true,
    });
    expect(open(made.body)).toEqual(said(4));
    await owner.call('PUT', `/policies/${made.body.id}`, { everywhere: false });

    // Whatever guards: an undo, of one change or several, a snippet, a document or a file without the site.
    const [last] = await owner.changelog();
    expect(last?.domain).toContain('wide');
    const undone = await owner.call<Answer>('POST', `/changelog/${last?.id}/revert`);
    expect(open(undone.body)).toEqual(said(4));
    await owner.call('PUT', `/policies/${made.body.id}`, { everywhere: false });
    const [{ group } = { group: 0 }] = (await owner.call<{ group: number }[]>('GET', '/changelog'))
      .body;
    const all = await owner.call<Answer>('POST', `/changelog/groups/${group}/revert`);
    expect(open(all.body)).toEqual(said(4));
    await owner.call('PUT', `/policies/${made.body.id}`, { everywhere: false });

    const { config } = (await owner.call('GET', '/preamble')).body;
    const withSnippet = (line: string) =>
      owner.call<Answer>('PUT', '/preamble', { config: `${config}\n(guard) {\n\t${line}\n}` });
    expect(open((await withSnippet('header X 1')).body)).toEqual([]);
    await owner.create('snippet', `import guard\n${proxied}`);
    expect(open((await withSnippet('abort')).body)).toEqual(said(4));

    const document = (await owner.call<{ vhosts: { domain: string }[] }>('GET', '/export')).body;
    const vhosts = document.vhosts.filter(({ domain }) => domain !== 'http://two.example');
    await put('two', { enabled: true });
    const less = { ...document, vhosts };
    const restored = await owner.call<Answer>('POST', '/restore?replace=true', less);
    expect(open(restored.body)).toEqual(said(4));
    await owner.create('two', proxied);
    const file = `http://two.example {\n\tabort\n}`;
    const merge = { proxyfile: file, taken: 'replace', preamble: 'keep' };
    expect(open((await owner.call<Answer>('POST', '/import', merge)).body)).toEqual(said(4));

    for (const { socket } of sockets) socket.close();
    await untilOpen(0);
    expect(open(await put('plain', { policies: ['home'] }))).toEqual([]);
    const done = await owner.call('DELETE', `/vhosts/${await idOf('nested')}`);
    expect(done.body).toEqual({ success: true } as never);
  });
});
