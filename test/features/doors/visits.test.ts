/** Who came to each site, as an agent answers it: by the names of sites, whatever hosts strangers invent under them. */
import { afterAll, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogs } from '../../../agent/logs/logs.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true }));

const [HOME, FRIEND, STRANGER] = ['192.168.1.2', '203.0.113.5', '203.0.113.66'];
/** More hosts than sites can have, and paths that make the answer for each host long. */
const INVENTED = 5_100;
const LONG = `/${'"'.repeat(290)}`;

const line = (host: string, ip: string, uri = '/') => {
  const request = { remote_ip: ip, remote_port: '1', proto: 'HTTP/1.1', method: 'GET', host, uri };
  const start = { level: 'info', ts: Date.now() / 1_000, logger: 'http.log.access' };
  const rest = { msg: 'handled request', user_id: '', duration: 0.001, size: 1, status: 200 };
  return `${JSON.stringify({ ...start, request: { ...request, headers: {} }, ...rest, resp_headers: {} })}\n`;
};

/** What came to sites, each with one name. */
const visits = (lines: string[], hosts: string[]) =>
  visitsOf(
    lines,
    hosts.map((host) => [host]),
  );

async function visitsOf(lines: string[], sites: string[][]) {
  const file = join(folder, 'access.log');
  writeFileSync(file, lines.join(''));
  const logs = createLogs({ file, timeout: 20_000 });
  try {
    const found = await logs.visits({ sites, from: 0 }, new AbortController().signal);
    const { complete } = found;
    const came = found.sites.map(({ home, outside }, at) => [sites[at]?.[0], [home, outside]]);
    const paths = found.hosts.reduce((total, one) => total + one.paths.length, 0);
    return { came: Object.fromEntries(came), complete, paths, sites: found.sites };
  } finally {
    logs.close();
  }
}

test.each(['*.wild.example', ''])('hosts under "%s" are one site', async (name) => {
  const hosts = Array.from({ length: INVENTED }, (_, at) => `h${at}.wild.example`);
  const lines = hosts.map((host, at) => line(host, STRANGER, `${LONG}${at % 20}`));
  const late = [line('h1.wild.example', FRIEND), line('photos.example', HOME)];
  expect(await visits([...lines, ...late], [name, 'photos.example'])).toMatchObject({
    came: { [name]: [0, 2], 'photos.example': [1, 0] },
    complete: true,
    paths: 11,
  });
});

test('who uses several names of a site counts once, and is refused only if under none let in', async () => {
  const lines = [
    line('a.example', FRIEND),
    line('b.example', FRIEND),
    line('a.example', HOME),
    line('b.example', HOME).replace('"status":200', '"status":403'),
    line('b.example', STRANGER).replace('"status":200', '"status":403'),
  ];
  const { sites } = await visitsOf(lines, [['a.example', 'b.example'], ['b.example'], []]);
  expect(sites.map(({ home, outside, refused }) => [home, outside, refused])).toEqual([
    [1, 1, 1],
    [0, 1, 2],
    [0, 0, 0],
  ]);
  expect(sites.map(({ last }) => last !== null)).toEqual([true, true, false]);
});

test('the paths of many sites are as many as fit into an answer', async () => {
  const hosts = Array.from({ length: 1_600 }, (_, at) => `h${at}.example`);
  const lines = hosts.flatMap((host) =>
    Array.from({ length: 10 }, (_, at) => line(host, FRIEND, `${LONG}${at}`)),
  );
  const { came, complete, paths } = await visits(lines, hosts);
  expect(complete).toBe(true);
  expect(Object.values(came)).toEqual(hosts.map(() => [0, 1]));
  const each = JSON.stringify(`${LONG}0`).length;
  expect(paths).toBe(Math.floor((8 * 1024 * 1024) / each));
});

test('a host is counted for the name that is nearest to it, however it is written', async () => {
  const lines = [
    ...['photos.example', 'PHOTOS.example.', 'photos.example:8080'].map((host, at) =>
      line(host, `203.0.113.${at}`),
    ),
    ...['bücher.example', 'XN--BCHER-KVA.example:80'].map((host, at) =>
      line(host, `203.0.113.${at}`),
    ),
    ...['[::1]', '[::1]:80'].map((host) => line(host, HOME)),
    line('a.wild.example', STRANGER),
    line('deep.a.wild.example', FRIEND),
    line('other.example', FRIEND),
  ];
  const names = ['photos.example', 'bücher.example', '::1', '*.wild.example'];
  const came = {
    'photos.example': [0, 3],
    'bücher.example': [0, 2],
    '::1': [1, 0],
    '*.wild.example': [0, 1],
  };
  expect((await visits(lines, names)).came).toEqual(came);
  expect((await visits(lines, [...names, ''])).came).toEqual({ ...came, '': [0, 1] });
});
