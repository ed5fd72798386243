/** Caddy with what is made of nginx text does what nginx does with the text, in the places where Nginx Proxy Manager puts it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { bodyOf, type Wanted } from '../../../../../src/hub/exchange/npm/nginx/body.ts';
import { some } from '../../../../harness/full.ts';
import { HAS_NGINX, NGINX } from '../../../../harness/npm.ts';
import { seededRandom } from '../../../../harness/random.ts';
import { sendRaw } from '../../../../harness/raw.ts';
import { freePort, temporaryFolder, until } from '../../../../harness/stack.ts';
import { randomWanted } from '../../../../hub/exchange/npm/nginx-texts.ts';
import { serveCaddyfile } from '../../../../hub/recipes/sites-caddy.ts';

const HOSTS = some(300, 5_000, 'NGINX_HOSTS');
const PATHS = [
  ...[
    '/',
    '/?x=1',
    '/api',
    '/api?x=%20y',
    '/api/',
    '/apix/y',
    '/Api',
    '/API/',
    '/strip',
    '/strip?a=b',
    '/strip/',
  ],
  ...[
    '/strip/a%20b/c?x',
    '/x/y',
    '/x/y/z.png',
    '/old/a',
    '/old/a%20b?x=1',
    '/a.PNG',
    '/.well-known/x',
    '/12/3',
  ],
  ...['/x.php', '/xab/q', '/ac', '/abcd', '/a%20b', '/nothing/here', '/old/x%3Fy'],
];
/** The last one is what nothing lets in. */
const SOURCES = ['127.0.0.2', '127.0.0.3'];

/** NPM's templates, as far as they matter here. */
function serverOf({ rest, locations, advanced }: Wanted, name: string, port: number): string {
  const ours = ['Host $host', 'X-Forwarded-For $remote_addr'];
  const headers = ours.map((one) => `proxy_set_header ${one};`);
  const [, scheme = 'http', address = '', service = ''] =
    'upstream' in rest ? (/^(?:(https?):\/\/)?(.*):(\d+)$/.exec(rest.upstream) ?? []) : [];
  const own =
    'upstream' in rest
      ? [
          'proxy_pass $forward_scheme://$server:$port$request_uri;',
          ...headers,
          'add_header X-Served-By $host;',
        ]
      : ['return 301 https://example.com$request_uri;'];
  const isOwn =
    /^(?:.*;)?\s*?location\s*?\/\s*?{/im.test(advanced) ||
    locations.some(({ path }) => path === '/');
  return [
    `server {\nlisten 127.0.0.1:${port};\nserver_name ${name};`,
    ...(address === ''
      ? []
      : [`set $forward_scheme ${scheme};\nset $server "${address}";\nset $port ${service};`]),
    advanced,
    ...locations.map(({ path, advanced: text, ...to }) => {
      const [host = '', ...more] = to.host.split('/');
      const uri = more.length > 0 ? `/${more.join('/')}` : to.forwardPath;
      return [
        `location ${path} {\n${text}`,
        ...headers,
        `proxy_pass ${to.scheme}://${host}:${to.port}${uri};\n}`,
      ].join('\n');
    }),
    ...(isOwn ? [] : ['location / {', ...own, '}']),
    '}',
  ].join('\n');
}

describe.skipIf(!HAS_NGINX)('nginx and Caddy', () => {
  const folder = temporaryFolder();
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  const services: number[] = [];
  beforeAll(async () => {
    for (const name of ['5', '6']) {
      const server = createServer(({ url, headers }, answer) => {
        const got = { name, url, host: headers.host, b: headers['x-b'], ip: headers['x-real-ip'] };
        answer.setHeader('X-Got', encodeURIComponent(JSON.stringify(got))).end('service');
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      services.push((server.address() as AddressInfo).port);
      ends.push(() => server.close());
    }
  });

  /** On this machine. */
  const here = (text: string): string =>
    text
      .replace(/https(?=:\/\/(?:10\.|nas|\[|jelly)|","host")/g, 'http')
      .replace(/10\.0\.0\.5:(?:8080|8443)/g, `127.0.0.1:${services[0]}`)
      .replace(
        /(?:10\.0\.0\.6|nas\.lan|\[fd00::5\])(?::8000|:80)?(?=[/;]|\$|$)/gm,
        `127.0.0.1:${services[1]}`,
      )
      .replaceAll('192.168.0.0/16', '127.0.0.2')
      .replaceAll('10.0.0.1', '127.0.0.3');

  const takes = (config: string): boolean => {
    const file = join(folder, 'one.conf');
    writeFileSync(file, config);
    return (
      Bun.spawnSync([NGINX ?? '', '-t', '-p', folder, '-c', file, '-e', join(folder, 'error.log')])
        .exitCode === 0
    );
  };
  const configOf = (servers: readonly string[]) =>
    `daemon off;\nmaster_process off;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\ndefault_type application/octet-stream;\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${folder};`).join('\n')}\nserver_names_hash_bucket_size 256;\nmap $host $forward_scheme { default http; }\n${servers.join('\n')}\n}\n`;

  test('answer alike', async () => {
    const random = seededRandom(Number(process.env.SEED ?? 5));
    const port = freePort();
    const hosts: { wanted: Wanted; text: string; server: string }[] = [];
    let drawn = 0;
    for (; hosts.length < HOSTS; drawn++) {
      const drawnText = JSON.parse(here(JSON.stringify(randomWanted(random, false)))) as Wanted;
      const wanted = {
        ...drawnText,
        locations: drawnText.locations.map((one) => ({
          ...one,
          host: one.host
            .replace(/jellyfin|10\.0\.0\.6|nas\.lan/, '127.0.0.1')
            .replace(/127\.0\.0\.1:\d+/, '127.0.0.1'),
          port: services[1] ?? 0,
        })),
      };
      const body = bodyOf({ ...wanted, stripsAuthorization: false });
      if (body.unsayable.length > 0 || body.clients.length > 0) continue;
      const name = `h${hosts.length}.test`;
      const server = serverOf(wanted, name, port);
      // Which of two is sent is up to the service.
      if (/proxy_set_header Host[^{}]*proxy_set_header Host/.test(server)) continue;
      if (!takes(configOf([server]))) continue;
      const upstream = 'upstream' in wanted.rest ? wanted.rest.upstream : '';
      hosts.push({
        wanted,
        server,
        text: body.lines.join('\n').replaceAll('{upstream}', upstream),
      });
    }
    console.log(`${hosts.length} of ${drawn}`);
    const file = join(folder, 'all.conf');
    writeFileSync(file, configOf(hosts.map(({ server }) => server)));
    const nginx = Bun.spawn([
      NGINX ?? '',
      '-p',
      folder,
      '-c',
      file,
      '-e',
      join(folder, 'error.log'),
    ]);
    ends.push(async () => {
      nginx.kill();
      await nginx.exited;
    });
    const caddy = await serveCaddyfile(
      (own) =>
        `{\n\tadmin off\n}\n${hosts.map(({ text }, at) => `http://h${at}.test:${own} {\n${text}\n}\n`).join('')}`,
    );
    ends.push(() => caddy.stop());
    const ask = async (to: number, host: string, path: string, from: string) => {
      const { status, head } = await sendRaw(
        `http://127.0.0.1:${to}`,
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: abc text\r\nConnection: close\r\n\r\n`,
        { localAddress: from },
      );
      const header = (name: string) => new RegExp(`^${name}: *(.*?)\\r?$`, 'im').exec(head)?.[1];
      const got = JSON.parse(decodeURIComponent(header('x-got') ?? 'null'));
      const location = header('location')?.replace(`:${to}`, '') || null;
      return { status, location, xa: status === 200 ? header('x-a') : null, got };
    };
    await until(
      () =>
        sendRaw(`http://127.0.0.1:${port}`, 'GET / HTTP/1.0\r\n\r\n').then(
          ({ status }) => status > 0,
        ),
      'nginx',
    );
    const differences: unknown[] = [];
    for (const [at, { wanted, text, server }] of hosts.entries()) {
      const found: unknown[] = [];
      const isStricter = bodyOf(wanted).remarks.some(({ text }) => text.includes('come first'));
      const isCased = server.includes('/Api');
      for (const path of PATHS)
        for (const from of SOURCES) {
          const [was, now] = await Promise.all(
            [port, caddy.port].map((to) => ask(to, `h${at}.test`, path, from)),
          );
          // Caddy's matcher `path` ignores case: then, what nginx refuses must be refused.
          const isAlike =
            (/[A-Z]/.test(path) && !path.includes('PNG')) || isCased
              ? (was?.status ?? 0) < 400 || now?.got === null
              : Bun.deepEquals(was, now);
          // nginx sends blanks from `$1` as they are, which services refuse; and returns before it denies.
          const isBetter = was?.status === 400 || (now?.status === 403 && isStricter);
          if (!isAlike && !isBetter) found.push({ path, from, was, now });
        }
      if (found.length > 0)
        differences.push({
          server,
          text,
          found: found.slice(0, 3),
          remarks: bodyOf(wanted).remarks,
        });
    }
    if (differences.length > 0) {
      for (const { server, text, found, remarks } of differences.slice(
        0,
        Number(process.env.SHOW ?? 4),
      ) as { server: string; text: string; found: unknown[]; remarks: unknown[] }[])
        console.log(
          `${server}\n----\n${text}\n${found.map((one) => JSON.stringify(one)).join('\n')}\n${JSON.stringify(remarks)}\n=========`,
        );
    }
    expect(differences.length).toBe(0);
  }, 600_000);
});
