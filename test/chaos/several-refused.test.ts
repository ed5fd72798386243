// proof: chaos
/** A change that one of three proxies refuses leaves all three, and every record, as they were. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { preambleOf, type Site, startProcesses } from '../harness/fleet-processes.ts';
import { forFile } from '../harness/for-file.ts';

const ALL = ['local', 'twin', 'vps'];
const SNIPPET = '(most) {\n\theader X-Most 1\n}\n';
/** The port for HTTP/3 on the last one's machine, as if another program had it. */
let udp: Bun.udp.Socket<'buffer'>;

type Body = { id: number; code?: string; agent?: string; behind?: string[] };

const fleet = await forFile(startProcesses(ALL.slice(1)));
let id: number;
beforeAll(async () => {
  const [local, twin, vps] = fleet.sites as [Site, Site, Site];
  // All but the last have a snippet.
  for (const site of [local, twin]) {
    const config = preambleOf(site, SNIPPET);
    await fleet.call('PUT', `/preamble?agent=${site.name}`, { config });
  }
  const made = await fleet.call<Body>('POST', '/vhosts', site({ domain: 'http://kept.example' }));
  id = made.body.id;
  udp = await Bun.udpSocket({ hostname: '0.0.0.0', port: vps.httpsPort });
});
afterAll(() => {
  udp.close();
});

const site = (more: object) => ({
  domain: 'http://refused.example',
  config: 'respond kept',
  ...more,
});

/** Every byte that a refusal must leave as it is. */
async function everything() {
  const get = async (path: string) => (await fleet.call('GET', path)).text;
  const proxies = fleet.sites.map(async ({ name, proxyfile, served }) => ({
    name,
    file: readFileSync(proxyfile, 'utf8'),
    preamble: await get(`/preamble?agent=${name}`),
    kept: (await served('kept.example'))?.text,
    refused: (await served('refused.example'))?.text,
  }));
  return [await get('/vhosts'), await get('/changelog'), ...(await Promise.all(proxies))];
}

test.each<[string, string, () => [method: string, path: string, json: object]]>([
  [
    'a change of a site to a snippet that it lacks',
    'vps',
    () => [...(['PUT', `/vhosts/${id}`] as const), { config: 'import most' }],
  ],
  [
    'a preamble of its own',
    'twin',
    () => [...(['PUT', '/preamble?agent=twin'] as const), { config: '{\n\tno_such_option\n}' }],
  ],
  [
    'a listener that only it cannot open when it loads it',
    'vps',
    () => [
      ...(['POST', '/vhosts'] as const),
      site({ domain: 'refused.example', config: 'tls internal' }),
    ],
  ],
])('%s', async (_, agent, request) => {
  const before = await everything();
  const { status, body } = await fleet.call<Body>(...request());
  expect([status, body.code, body.agent]).toEqual([502, 'PROXY_REJECTED', agent]);
  expect(await everything()).toEqual(before);
});

test('a site that only it cannot write to its disk', async () => {
  const twin = fleet.sites[1] as Site;
  const candidate = `${twin.proxyfile}.candidate`;
  const before = await everything();
  mkdirSync(candidate);
  const refused = await fleet.call<Body>('POST', '/vhosts', site({}));
  rmdirSync(candidate);
  expect([refused.status, refused.body.code, refused.body.agent]).toEqual([
    507,
    'STORAGE_UNAVAILABLE',
    'twin',
  ]);
  expect(await everything()).toEqual(before);
});

test('none of this is in the way of a site that is placed elsewhere', async () => {
  const agents = ['local', 'twin'];
  const made = await fleet.call<Body>(
    'POST',
    '/vhosts',
    site({ domain: 'http://some.example', config: 'import most\nrespond some', agents }),
  );
  expect([made.status, made.body.behind]).toEqual([201, undefined]);
  const served = fleet.sites.map(async (one) => (await one.served('some.example'))?.text);
  expect(await Promise.all(served)).toEqual(['some', 'some', '']);
});
