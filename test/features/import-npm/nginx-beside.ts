/** nginx with hosts as Nginx Proxy Manager writes them, for comparison with Caddy. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Wanted } from '../../../src/features/import-npm/npm/nginx/body.ts';
import { NGINX } from '../../harness/npm.ts';
import { sendRaw } from '../../harness/raw.ts';
import { until } from '../../harness/stack.ts';

/** A service that answers with what it got. @returns its port */
export async function startEcho(ends: (() => unknown)[]): Promise<number> {
  const server = createServer(({ url, headers, socket }, answer) => {
    const { host, 'x-b': b, 'x-real-ip': ip } = headers;
    const got = { port: socket.localPort, url, host, b, ip };
    answer.setHeader('X-Got', encodeURIComponent(JSON.stringify(got))).end('service');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** The server block of a host, as far as NPM's templates matter here. */
export function serverOf(
  { rest, locations, advanced }: Wanted,
  name: string,
  port: number,
): string {
  const headers = 'proxy_set_header Host $host;\nproxy_set_header X-Forwarded-For $remote_addr;';
  const [, scheme = 'http', address = '', service = ''] =
    'upstream' in rest ? (/^(?:(https?):\/\/)?(.*):(\d+)$/.exec(rest.upstream) ?? []) : [];
  const own = `${headers}\nadd_header X-Served-By $host;\nproxy_pass $forward_scheme://$server:$port$request_uri;`;
  const hasRoot =
    /^(?:.*;)?\s*?location\s*?\/\s*?{/im.test(advanced) ||
    locations.some(({ path }) => path === '/');
  return [
    `server {\nlisten 127.0.0.1:${port};\nserver_name ${name};`,
    address === ''
      ? ''
      : `set $forward_scheme ${scheme};\nset $server "${address}";\nset $port ${service};`,
    advanced,
    ...locations.map(({ path, advanced: text, scheme: by, host, forwardPath, ...to }) => {
      const [machine = '', ...more] = host.split('/');
      const uri = more.length > 0 ? `/${more.join('/')}` : forwardPath;
      return `location ${path} {\n${text}\n${headers}\nproxy_pass ${by}://${machine}:${to.port}${uri};\n}`;
    }),
    hasRoot
      ? ''
      : `location / {\n${address === '' ? 'return 301 https://example.com$request_uri;' : own}\n}`,
    '}',
  ].join('\n');
}

function configIn(folder: string, servers: readonly string[]): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const main = `daemon off;\nmaster_process off;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;`;
  const paths = kinds.map((kind) => `${kind}_temp_path ${folder};`).join('\n');
  const more = 'server_names_hash_bucket_size 256;\nmap $host $forward_scheme { default http; }';
  return `${main}\n${paths}\n${more}\n${servers.join('\n')}\n}\n`;
}

const nginxIn = (folder: string, servers: readonly string[], ...args: string[]): string[] => {
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configIn(folder, servers));
  return [NGINX ?? '', ...args, '-p', folder, '-c', file, '-e', join(folder, 'error.log')];
};

/** Whether nginx takes a server block. */
export const takes = (folder: string, server: string): boolean =>
  Bun.spawnSync(nginxIn(folder, [server], '-t')).exitCode === 0;

export async function startBeside(
  folder: string,
  servers: readonly string[],
  port: number,
  ends: (() => unknown)[],
): Promise<void> {
  const nginx = Bun.spawn(nginxIn(folder, servers));
  ends.push(async () => {
    nginx.kill();
    await nginx.exited;
  });
  const url = `http://127.0.0.1:${port}`;
  await until(
    () => sendRaw(url, 'GET / HTTP/1.0\r\n\r\n').then(({ status }) => status > 0),
    'nginx',
  );
}

export type Asked = { status: number; location: string | null; added: string | null; got: unknown };

/** What a proxy answers a GET. */
export async function ask(port: number, host: string, path: string, from: string): Promise<Asked> {
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}`,
    'User-Agent: abc text',
    'Connection: close',
  ];
  const request = `${lines.join('\r\n')}\r\n\r\n`;
  const { status, head } = await sendRaw(`http://127.0.0.1:${port}`, request, {
    localAddress: from,
  });
  const header = (name: string) => new RegExp(`^${name}: *(.*?)\\r?$`, 'im').exec(head)?.[1] ?? '';
  return {
    status,
    location: header('location').replace(`:${port}`, '') || null,
    // nginx adds headers to some answers only.
    added: status === 200 ? header('x-a') : null,
    got: JSON.parse(decodeURIComponent(header('x-got')) || 'null'),
  };
}
