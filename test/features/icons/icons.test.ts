/** Icons of sites: asked for through a real Caddy, kept, and served; and all that is no icon. */
import { beforeAll, expect, test } from 'bun:test';
import { inDatabase } from '../../harness/database.ts';
import { forFile, serverForFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { USUAL } from '../../harness/pace.ts';
import { ask, until } from '../../harness/stack.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const ICO = Buffer.from('00000100010010100000010020006804', 'hex');
const GIF = Buffer.from('GIF89a-and-more');
const PAGE = '<!doctype html><link rel="stylesheet" href="/a.css"><title>x</title>';
const pageWith = (link: string) => `${PAGE}${link}<script>location = "/"</script>`;
const html = (text: string, status = 200) =>
  new Response(text, { status, headers: { 'Content-Type': 'text/html' } });
const named = (bytes: string | Buffer, type: string) =>
  new Response(bytes, { headers: { 'Content-Type': type } });
const to = (location: string) => new Response(null, { status: 302, headers: { location } });
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const LINK = '<link rel="shortcut icon" type="image/png" href="img/a.png?x=1&amp;y=2">';

/** Never ends, and never says how long it is. */
const endless = () =>
  new Response(
    new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(Buffer.concat([PNG, FILL]))),
    }),
  );
const FILL = Buffer.alloc(8_192);

/** What each site answers, by path; a 404 if it says nothing of it. */
const SITES: Record<string, (path: string) => Response | undefined> = {
  usual: (path) => (path === '/favicon.ico' ? named(PNG, 'text/plain') : undefined),
  gif: (path) => (path === '/favicon.ico' ? named(GIF, 'image/svg+xml') : undefined),
  // Answers any path with its page.
  spa: (path) => (path === '/img/a.png?x=1&y=2' ? named(ICO, 'image/png') : html(pageWith(LINK))),
  linked(path) {
    if (path === '/') return html(pageWith(LINK));
    return path === '/img/a.png?x=1&y=2' ? named(PNG, 'image/png') : undefined;
  },
  moved: (path) => (path === '/favicon.ico' ? to('/static/i.png') : named(PNG, 'image/png')),
  svg: (path) => (path === '/favicon.ico' ? named(SVG, 'image/png') : html(pageWith(''))),
  svglink: (path) =>
    path === '/' ? html(pageWith('<link rel=icon href=/i.svg>')) : named(SVG, 'image/svg+xml'),
  forged: (path) => (path === '/favicon.ico' ? named('<html>', 'image/png') : undefined),
  large: (path) =>
    path === '/favicon.ico'
      ? named(Buffer.concat([PNG, Buffer.alloc(1 << 20)]), 'image/png')
      : undefined,
  endless: (path) => (path === '/favicon.ico' ? endless() : undefined),
  away: (path) => (path === '/favicon.ico' ? to('http://usual.example/favicon.ico') : undefined),
  awaylink: (path) =>
    path === '/'
      ? html(pageWith('<link rel="icon" href="http://usual.example/favicon.ico">'))
      : undefined,
  loop: () => to('/favicon.ico'),
  closed: () => new Response(PNG, { status: 401 }),
};
const WITH_ICON = { usual: PNG, gif: GIF, spa: ICO, linked: PNG, moved: PNG };

const asked: { name: string; path: string; agent: string }[] = [];
const upstream = serverForFile((request) => {
  const name = (request.headers.get('host') ?? '').split('.')[0] ?? '';
  const { pathname, search } = new URL(request.url);
  asked.push({ name, path: pathname + search, agent: request.headers.get('user-agent') ?? '' });
  return SITES[name]?.(pathname + search) ?? new Response('nothing', { status: 404 });
});
const askedOf = (name: string) => asked.filter((one) => one.name === name).map(({ path }) => path);

const own = { ...USUAL.hub.own, icons: { look: 100, again: 300_000, kept: 300_000 } };
const owner = await forFile(
  startOwner({ SIGNALBOX_FEATURES: 'icons' }, undefined, { ...USUAL, hub: { ...USUAL.hub, own } }),
);
const { stack } = owner;
const ids = new Map<string, number>();
const idOf = (name: string) => ids.get(name) ?? 0;
const iconOf = (name: string, headers: Record<string, string> = owner.headers) =>
  fetch(`${stack.hub}/vhosts/${idOf(name)}/icon`, { headers });
const list = async () =>
  (await owner.call<{ id: number; version: string }[]>('GET', '/vhosts/icons')).body;
const isDone = (count: number) =>
  inDatabase(stack.dataDir, (sqlite) => {
    const open = 'SELECT count(*) AS n FROM icons WHERE path IS NULL';
    return sqlite.query<{ n: number }, []>(open).get()?.n === count;
  });

async function create(name: string, more: object = {}): Promise<void> {
  const made = await owner.call('POST', '/vhosts', {
    domain: `http://${name}.example`,
    config: 'reverse_proxy {upstream}',
    upstream: `127.0.0.1:${upstream.port}`,
    ...more,
  });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  ids.set(name, made.body.id);
}

beforeAll(async () => {
  for (const name of Object.keys(SITES)) await create(name);
  await create('private', { config: 'respond "no" 403' });
  await until(() => isDone(ids.size), 'an answer of each site', 40_000);
});

test.each([
  'svg',
  'svglink',
  'forged',
  'large',
  'endless',
  'away',
  'awaylink',
  'loop',
  'closed',
  'private',
])('no icon is kept of a site that is %s', async (name) => {
  const answer = await iconOf(name);
  const { code } = (await answer.json()) as { code: string };
  expect([answer.status, code]).toEqual([404, 'NOT_FOUND']);
  expect((await list()).map(({ id }) => id)).not.toContain(idOf(name));
});

test('a stranger gets none, and another id has none', async () => {
  expect((await iconOf('usual', {})).status).toBe(401);
  expect((await ask(`${stack.hub}/vhosts/icons`)).status).toBe(401);
  expect((await owner.call('GET', '/vhosts/999/icon')).status).toBe(404);
  expect((await owner.call('GET', '/vhosts/x/icon')).status).toBe(404);
});

test('an icon is served as what its bytes are, and never runs', async () => {
  const types = { usual: 'image/png', gif: 'image/gif', spa: 'image/x-icon' };
  for (const [name, bytes] of Object.entries(WITH_ICON)) {
    const answer = await iconOf(name);
    expect([name, answer.status, Buffer.from(await answer.arrayBuffer())]).toEqual([
      name,
      200,
      bytes,
    ]);
    const type = types[name as keyof typeof types] ?? 'image/png';
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(answer.headers.get('cache-control')).toStartWith('private, max-age=');
    const etag = answer.headers.get('etag') ?? '';
    const known = await iconOf(name, { ...owner.headers, 'If-None-Match': etag });
    expect([known.status, await known.text()]).toEqual([304, '']);
  }
  const versions = (await list()).map(({ id, version }) => [id, version !== '']);
  expect(versions).toEqual(Object.keys(WITH_ICON).map((name) => [idOf(name), true]));
});

test('a viewer sees icons', async () => {
  const person = { name: 'v', email: 'v@example.org', password: 'a long passphrase of nobody' };
  await owner.call('POST', '/users', { ...person, role: 'viewer' });
  const { body } = await ask<{ token: string }>(`${stack.hub}/auth/sign-in/email`, {
    json: { email: person.email, password: person.password },
  });
  const headers = { Authorization: `Bearer ${body.token}` };
  expect((await iconOf('usual', headers)).status).toBe(200);
  expect((await ask<object[]>(`${stack.hub}/vhosts/icons`, { headers })).body).toHaveLength(5);
});

test('a site is asked twice at most, and its page only if it has no usual icon', () => {
  expect(askedOf('usual')).toEqual(['/favicon.ico']);
  expect(askedOf('spa')).toEqual(['/favicon.ico', '/img/a.png?x=1&y=2']);
  expect(askedOf('moved')).toEqual(['/favicon.ico', '/static/i.png']);
  // What the page names is asked by the next look.
  expect(askedOf('linked')).toEqual(['/favicon.ico', '/', '/img/a.png?x=1&y=2']);
  expect(askedOf('away')).toEqual(['/favicon.ico', '/']);
  expect(askedOf('awaylink')).toEqual(['/favicon.ico', '/']);
  expect(askedOf('loop')).toEqual(['/favicon.ico', '/favicon.ico']);
  for (const { agent } of asked) expect(agent).toStartWith('signalbox-check/');
});

test('nothing is asked again by a restart or another change, and all of it after another upstream', async () => {
  const before = asked.length;
  await stack.restart();
  await owner.call('PUT', `/vhosts/${idOf('gif')}`, { tags: ['x'] });
  await create('last');
  await until(() => isDone(ids.size), 'the answer of the new site');
  expect(asked.slice(before).map(({ name }) => name)).toEqual(['last', 'last']);
  expect(await list()).toHaveLength(5);
  await owner.call('PUT', `/vhosts/${idOf('usual')}`, {
    upstream: `localhost:${upstream.port}`,
  });
  await until(() => askedOf('usual').length === 2, 'the icon of another upstream');
});

test('a site that does not answer is asked later, and nothing is known of it', async () => {
  SITES.down = () => new Response(PNG, { status: 503 });
  await create('down');
  await create('after');
  await until(() => askedOf('after').length === 2, 'the next site');
  expect(askedOf('down')).toEqual(['/favicon.ico']);
  expect((await iconOf('down')).status).toBe(404);
});

test('an icon is deleted with its site', async () => {
  const id = idOf('usual');
  await owner.call('DELETE', `/vhosts/${id}`);
  expect((await iconOf('usual')).status).toBe(404);
  const rows = inDatabase(stack.dataDir, (sqlite) =>
    sqlite.query('SELECT * FROM icons WHERE vhost_id = ?').all(id),
  );
  expect(rows).toEqual([]);
});
