/** Explanations of real faults, by real sockets and the real Caddy; each cure is carried out. */
import { afterAll, describe, expect, test } from 'bun:test';
import { createServer as createHttp2 } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Explanation } from '../../../src/features/explain/schemas.ts';
import { selfSigned } from '../../harness/certificate.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { freePort } from '../../harness/stack.ts';

const owner = await forFile(startOwner());
const servers: { close(): unknown }[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const tcp = (talk: (socket: Socket) => void) =>
  listen(
    createServer((socket) => {
      socket.on('error', () => undefined);
      talk(socket);
    }),
  );
const http = (answer: (request: Request) => Response | Promise<Response>): string => {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 30, fetch: answer });
  servers.push({ close: () => server.stop(true) });
  return `127.0.0.1:${server.port}`;
};
const https = async () => {
  const { key, certificate } = await selfSigned(['localhost']);
  return listen(createHttps({ key, cert: certificate }, (_, answer) => answer.end('hi')));
};
const banner = (text: string) => tcp((socket) => socket.write(text));

let count = 0;
async function site(upstream: string, config = 'reverse_proxy {upstream}') {
  const name = `fault${++count}.localhost`;
  const { body } = await owner.call('POST', '/vhosts', {
    domain: `http://${name}`,
    upstream,
    config,
  });
  expect([body.code, body.detail]).toEqual([undefined, undefined]);
  return { id: body.id, name };
}
const explain = async (id: number, path = '/') =>
  (await owner.call<Explanation>('POST', '/explanations', { vhost: id, path })).body;

type Fault = [what: string, upstream: () => string | Promise<string>, cause: string];

const FAULTS: Fault[] = [
  ['HTTPS', https, 'SPEAKS_TLS'],
  ['HTTP', async () => `https://${http(() => new Response('hi'))}`, 'SPEAKS_PLAIN'],
  ['a certificate', async () => `https://${await https()}`, 'UPSTREAM_UNTRUSTED'],
  ['SSH', () => banner('SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n'), 'NOT_HTTP'],
  ['SMTP', () => banner('220 mail.example ESMTP Postfix\r\n'), 'NOT_HTTP'],
  ['the end', () => tcp((socket) => socket.destroy()), 'CLOSES'],
  ['a closed port', () => `127.0.0.1:${freePort()}`, 'UPSTREAM_REFUSED'],
  ['a container', () => 'plex:8000', 'UPSTREAM_NAME'],
  ['Caddy', () => `127.0.0.1:${owner.stack.httpPort}`, 'UPSTREAM_ITSELF'],
  ['HTTP/2', () => listen(createHttp2((_, answer) => answer.end('hi'))), 'SPEAKS_H2'],
  ['a 500', () => http(() => new Response('no', { status: 500 })), 'UPSTREAM_ERROR'],
  ['a 502', () => http(() => new Response('no', { status: 502 })), 'UPSTREAM_ERROR'],
  ['a 413', () => http(() => new Response('no', { status: 413 })), 'TOO_LARGE'],
  ['a loop', () => http(({ url }) => Response.redirect(url, 302)), 'REDIRECT_LOOP'],
  [
    'its own address',
    async () => {
      const address = http(() => Response.redirect(`http://${address}/login`, 302));
      return address;
    },
    'REDIRECT_ELSEWHERE',
  ],
  [
    'Home Assistant',
    () =>
      http(({ headers }) =>
        headers.has('x-forwarded-for')
          ? new Response('400: Bad Request', { status: 400 })
          : new Response('hi'),
      ),
    'PROXY_NOT_TRUSTED',
  ],
  [
    'Vite',
    () =>
      http(({ headers }) =>
        headers.get('host')?.startsWith('127.0.0.1')
          ? new Response('hi')
          : new Response('Blocked request. This host is not allowed.', { status: 403 }),
      ),
    'HOST_REFUSED',
  ],
];

describe('a site that leads to', () => {
  test.each(FAULTS)('%s', async (_, upstream, cause) => {
    const { id, name } = await site(await upstream());
    const found = await explain(id);
    expect([found.verdict, found.cause, found.words]).toEqual([
      'fails',
      cause as Explanation['cause'],
      found.words,
    ]);
    console.log(
      found.words,
      '|',
      found.cure?.words,
      '|',
      JSON.stringify(found.cure?.operation),
      found.asked,
    );
    expect(found.cure).not.toBeNull();
    const operation = found.cure?.operation;
    if (!operation || operation.op !== 'update') return;
    const { id: _id, op: _op, ...fields } = operation;
    const { status } = await owner.call('PUT', `/vhosts/${id}`, fields);
    expect(status).toBe(200);
    expect((await owner.stack.served(name)).status).toBe(200);
    const again = await explain(id);
    expect([again.verdict, again.words]).toEqual(['works', again.words]);
  });
});

describe('what guards a site', () => {
  test('shuts out', async () => {
    const up = http(() => new Response('hi'));
    const { id } = await site(
      up,
      '@out not remote_ip 10.9.8.0/24\nrespond @out 403\nreverse_proxy {upstream}',
    );
    const found = await explain(id);
    expect([found.verdict, found.cause]).toEqual(['fails', 'SHUT_OUT']);
  });
  test('service is down', async () => {
    const up = http(() => new Response('hi'));
    const { id } = await site(
      up,
      `forward_auth 127.0.0.1:${freePort()} {\nuri /x\n}\nreverse_proxy {upstream}`,
    );
    const found = await explain(id);
    expect([found.verdict, found.cause]).toEqual(['fails', 'SIGN_IN_DOWN']);
  });
  test('asks to sign in', async () => {
    const up = http(() => new Response('hi'));
    const service = http(() => Response.redirect('https://accounts.example.org/', 302));
    const { id } = await site(up, `forward_auth ${service} {\nuri /x\n}\nreverse_proxy {upstream}`);
    const found = await explain(id);
    console.log(found);
    expect([found.verdict, found.cause]).toEqual(['works', null]);
  });
  test('loops', async () => {
    const up = http(() => new Response('hi'));
    let port = 0;
    const service = http(() => Response.redirect(`http://fault${count}.localhost:${port}/`, 302));
    port = owner.stack.httpPort;
    const { id } = await site(up, `forward_auth ${service} {\nuri /x\n}\nreverse_proxy {upstream}`);
    const found = await explain(id);
    expect([found.verdict, found.cause]).toEqual(['fails', 'SIGN_IN_LOOP']);
  });
  test('loops over a portal', async () => {
    const up = http(() => new Response('hi'));
    const service = http(() =>
      Response.redirect(`http://fault${count}.localhost:${owner.stack.httpPort}/login`, 302),
    );
    const config = `forward_auth ${service} {\nuri /x\n}\nreverse_proxy {upstream}`;
    const { id } = await site(up, config);
    await site(service, config);
    const found = await explain(id);
    expect([found.verdict, found.cause]).toEqual(['fails', 'SIGN_IN_LOOP']);
  });
  test('hang', async () => {
    const { id } = await site(await tcp(() => undefined));
    const found = await explain(id);
    expect([found.verdict, found.cause]).toEqual(['fails', 'HANGS']);
  });
  test('websocket', async () => {
    const up = http((request) =>
      request.headers.get('origin')
        ? new Response('no', { status: 403 })
        : request.headers.get('upgrade')
          ? new Response(null, { status: 101 })
          : new Response('Upgrade Required', { status: 426 }),
    );
    const { id } = await site(up);
    const found = await explain(id, '/ws');
    console.log(found.words);
    expect([found.verdict, found.cause]).toEqual(['fails', 'WEBSOCKET_REFUSED']);
  });
  test('another site of Caddy', async () => {
    const { id: other } = await site('', 'respond hi');
    const { id } = await site(
      `127.0.0.1:${owner.stack.httpPort}`,
      `reverse_proxy {upstream} {\nheader_up Host fault${count}.localhost\n}`,
    );
    for (const one of [id, other]) {
      const found = await explain(one);
      console.log(found.words, found.steps);
      expect([found.verdict, found.cause, found.words]).toEqual(['works', null, found.words]);
    }
  });
  test('placeholder', async () => {
    const { id } = await site('', 'reverse_proxy {http.request.header.X}:80');
    const found = await explain(id);
    expect([found.verdict, found.cause, found.words]).toEqual(['unsure', null, found.words]);
    console.log(found.words);
  });
  test('one of two', async () => {
    const up = http(() => new Response('hi'));
    const { id } = await site('', `reverse_proxy ${up} 127.0.0.1:${freePort()}`);
    const found = await explain(id);
    expect([found.verdict, found.cause, found.words]).toEqual([
      'fails',
      'UPSTREAM_REFUSED',
      found.words,
    ]);
    console.log(found.words);
  });
  test('https site', async () => {
    const { body } = await owner.call('POST', '/vhosts', {
      domain: 'tls.localhost',
      config: 'reverse_proxy {upstream}',
      upstream: http(() => new Response('hi')),
    });
    const found = await explain(body.id);
    console.log(found.words, found.steps);
    expect([found.verdict, found.cause, found.words]).toEqual(['works', null, found.words]);
  });
  test('https site with a loop', async () => {
    const { body } = await owner.call('POST', '/vhosts', {
      domain: 'tls2.localhost',
      config: 'reverse_proxy {upstream}',
      upstream: http(({ headers }) => Response.redirect(`https://${headers.get('host')}/`)),
    });
    const found = await explain(body.id);
    console.log(found.words, found.steps);
    expect([found.verdict, found.cause, found.words]).toEqual([
      'fails',
      'REDIRECT_LOOP',
      found.words,
    ]);
  });
  test('an operation', async () => {
    const { body, text } = await owner.call<Explanation>('POST', '/explanations', {
      operation: {
        op: 'create',
        domain: 'http://new.localhost',
        config: 'reverse_proxy {upstream}',
        upstream: await https(),
      },
    });
    console.log(text);
    expect(body.cause).toBe('SPEAKS_TLS');
  });
});

describe('works', () => {
  const HEALTHY: [string, () => string, number][] = [
    ['200', () => http(() => new Response('hi')), 200],
    ['401', () => http(() => new Response('no', { status: 401 })), 401],
    ['404', () => http(() => new Response('no', { status: 404 })), 404],
    ['403', () => http(() => new Response('no', { status: 403 })), 403],
    ['a slow answer', () => http(async () => (await Bun.sleep(1000), new Response('hi'))), 200],
    [
      'a redirect',
      () =>
        http(({ url }) =>
          new URL(url).pathname === '/' ? Response.redirect('/login', 302) : new Response('hi'),
        ),
      302,
    ],
  ];
  test.each(HEALTHY)('%s', async (_, upstream, status) => {
    const { id } = await site(upstream());
    const found = await explain(id);
    expect([found.verdict, found.words, found.asked?.status]).toEqual([
      'works',
      found.words,
      status,
    ]);
    console.log(
      found.words,
      found.steps.map(({ ok, words }) => [ok, words]),
    );
  });
});
