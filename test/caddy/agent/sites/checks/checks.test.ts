// proof: agent
import { afterAll, describe, expect, test } from 'bun:test';
import { createServer, type Socket } from 'node:net';
import { ask as askAt } from '../../../../../agent/sites/checks/ask.ts';
import type { Check, ChecksAnswer } from '../../../../../src/shared/wire/checks.ts';
import type { LogActivity, LogPage, LogStats } from '../../../../../src/shared/wire/logs.ts';
import { forFile } from '../../../../harness/for-file.ts';
import { limit } from '../../../../harness/speed.ts';
import { ask, freePort, startLocalCaStack, until } from '../../../../harness/stack.ts';

/** Seconds until a check that has an answer fails: it is asked again until then. */
const SHORT = limit(300) / 1000;

/** Answers as the path says; a stand-in for upstreams that no HTTP server would be. */
const upstreamPort = freePort();
const otherPort = freePort();
/** Connections to the upstream that are open, and the bytes it sent on the last one. */
const open = new Set<Socket>();
let requests: string[] = [];
let sent = 0;

function serve(socket: Socket, request: string): void {
  const path = request.split(' ')[1] ?? '';
  requests.push(request);
  const write = (text: string) => {
    sent += text.length;
    return socket.write(text);
  };
  if (path.startsWith('/ready')) {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 8\r\nSecret: s3cret\r\n\r\nis ready');
  } else if (path.startsWith('/redirect')) {
    socket.end('HTTP/1.1 302 Found\r\nLocation: /ready\r\nContent-Length: 0\r\n\r\n');
  } else if (path === '/endless') {
    sent = 0;
    write('HTTP/1.1 200 OK\r\n\r\n');
    const fill = () => {
      while (!socket.destroyed && write('x'.repeat(4096)));
    };
    socket.on('drain', fill);
    fill();
  } else if (path === '/late') {
    // In the 65th KiB.
    socket.end(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(64 * 1024)}ready`);
  } else if (path === '/split') {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nis re');
    setTimeout(() => socket.end('ady !'), 50);
  } else if (path === '/trickle') {
    write('HTTP/1.1 200 OK\r\n\r\n');
    const timer = setInterval(() => write('x'), 20);
    socket.once('close', () => clearInterval(timer));
  }
  // Everything else gets no answer.
}

const check = async (
  checks: { name: string; port?: number; check: Check | null }[],
  more: object = {},
) => {
  const json = { checks: checks.map((one) => ({ port: stack.httpPort, ...one })), ...more };
  const headers = stack.agentHeaders;
  const answer = await ask<ChecksAnswer>(`${stack.agent}/proxy/checks`, { json, headers });
  expect(answer.status).toBe(200);
  return answer.body.answers;
};
const one = async (name: string, asked: Check | null, port = stack.httpPort) =>
  (await check([{ name, port, check: asked }]))[0];
const up = (asked: Check) => one('up.example', asked);
const failed = (status: number | null, reason: string) => ({ passed: false, status, reason });
const passed = (status: number, reason: string) => ({
  passed: true,
  status,
  reason,
  took: expect.any(Number),
});

async function reload(sites: string): Promise<void> {
  const options = `http_port ${stack.httpPort}\nhttps_port ${stack.httpsPort}\nlocal_certs\nskip_install_trust`;
  await load(`{\n${options}\n}\n${sites}`);
}

async function load(proxyfile: string): Promise<void> {
  const answer = await ask(`${stack.agent}/proxy/reload`, {
    json: { proxyfile },
    headers: stack.agentHeaders,
  });
  if (answer.status !== 200) throw new Error(answer.text);
}

const upstream = createServer((socket) => {
  open.add(socket);
  socket.on('error', () => undefined);
  socket.once('close', () => open.delete(socket));
  socket.once('data', (data) => serve(socket, data.toString()));
}).listen(upstreamPort, '127.0.0.1');
const stack = await forFile(startLocalCaStack());
await reload(`
  http://up.example, http://*.wild.example {
    reverse_proxy 127.0.0.1:${upstreamPort}
  }
  secure.example, *.secure.example, 127.0.0.1 {
    respond "{scheme} {host}"
  }
  http://down.example {
    reverse_proxy 127.0.0.1:1
  }
  http://gone.example {
    reverse_proxy 127.0.0.1:1
  }
  http://abort.example {
    abort
  }
  :${otherPort} {
    bind ::1
    respond "any {host} {header.User-Agent}"
  }
  127.named.example {
    respond "{host}"
  }
  "http://a\u0001b.example" {
    respond x
  }
  https://named.example:${otherPort} {
    bind 127.0.0.1
    respond "{host} {hostport}"
  }
`);
afterAll(async () => {
  for (const socket of open) socket.destroy();
  upstream.close();
});

/** What the agent says of a site: its figures, its entries in the log, and its errors. */
async function figuresOf(domain: string) {
  const get = async <Body>(path: string) =>
    (await ask<Body>(`${stack.agent}${path}`, { headers: stack.agentHeaders })).body;
  const sites = await ask<{ sites: { errors: object[] }[] }>(`${stack.agent}/proxy/sites`, {
    json: { names: [domain] },
    headers: stack.agentHeaders,
  });
  const { domains } = await get<LogActivity>('/logs/activity?buckets=1');
  return {
    requests: (await get<LogStats>(`/logs/stats?domain=${domain}`)).requests,
    active: domains[domain]?.status5xx[0] ?? 0,
    entries: (await get<LogPage>(`/logs?domain=${domain}`)).total,
    errors: sites.body.sites[0]?.errors.length,
  };
}

test('a check is in the log, but neither in a figure nor an error of the site', async () => {
  expect(await one('down.example', { path: '/' })).toMatchObject({ passed: false, status: 502 });
  const word = '0123456789abcdef';
  await fetch(`http://127.0.0.1:${stack.httpPort}/`, {
    headers: { Host: 'gone.example', 'User-Agent': `signalbox-check/${word}` },
  });
  await until(async () => (await figuresOf('gone.example')).errors === 1, 'the visitor’s error');
  const gone = { requests: 1, active: 1, entries: 1, errors: 1 };
  expect(await figuresOf('gone.example')).toEqual(gone);
  const { entries, ...down } = await figuresOf('down.example');
  expect([entries > 0, down]).toEqual([true, { requests: 0, active: 0, errors: 0 }]);
});

test.each<[string, object]>([
  ['without checks', {}],
  ['with a path that is none', { checks: [{ name: 'a', port: 80, check: { path: 'x' } }] }],
  ['with a line break', { checks: [{ name: 'a', port: 80, check: { path: '/\r\nX: y' } }] }],
  ['with a space', { checks: [{ name: 'a', port: 80, check: { path: '/ HTTP/1.1' } }] }],
  ['with a port that is none', { checks: [{ name: 'a', port: 'x', check: null }] }],
  ['that takes long', { checks: [{ name: 'a', port: 80, check: { path: '/', within: 16 } }] }],
])('a request is refused %s', async (_, json) => {
  const headers = stack.agentHeaders;
  for (const path of ['/proxy/checks', '/proxy/round']) {
    const answer = await ask<object>(`${stack.agent}${path}`, { json, headers });
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'INVALID_REQUEST' }]);
  }
});

describe('a check fails', () => {
  test('with another status', async () => {
    expect(await up({ path: '/ready', status: 204, within: SHORT })).toEqual(
      failed(200, 'GET /ready answered 200 instead of 204'),
    );
    expect(await one('down.example', { path: '/', within: SHORT })).toEqual(
      failed(502, 'GET / answered 502 instead of a status from 200 to 299'),
    );
  });

  test('with a redirect, which it does not follow', async () => {
    requests = [];
    // The query may hold a secret.
    expect(await up({ path: '/redirect?token=s3cret', within: SHORT })).toEqual(
      failed(302, 'GET /redirect answered 302 instead of a status from 200 to 299'),
    );
    expect(requests.filter((request) => !request.startsWith('GET /redirect?'))).toEqual([]);
  });

  test('with another body', async () => {
    expect(await up({ path: '/ready', contains: 'Ready', within: SHORT })).toEqual(
      failed(200, 'The response body of GET /ready does not contain “Ready”'),
    );
    expect(await up({ path: '/late', contains: 'ready', within: SHORT })).toMatchObject({
      passed: false,
      status: 200,
    });
  });

  test('without an answer', async () => {
    expect(await up({ path: '/hang', within: 1.2 })).toEqual(
      failed(null, 'GET /hang was not answered within 1.2 s'),
    );
    await until(() => open.size === 0, 'the end of the connections');
    const reason = `Caddy closed the connection on port ${stack.httpPort} without an answer`;
    expect(await one('abort.example', { path: '/', within: SHORT })).toEqual(failed(null, reason));
  });

  test('where the proxy does not serve the name', async () => {
    const elsewhere = 'Caddy does not serve this name on port ';
    const asked = { path: '/' };
    expect(await one('none.example', asked)).toEqual(failed(null, elsewhere + stack.httpPort));
    expect(await one('up.example', asked, stack.httpsPort)).toEqual(
      failed(null, elsewhere + stack.httpsPort),
    );
    // Not Caddy's, so it is not even connected to.
    expect(await one('127.0.0.1', asked, upstreamPort)).toEqual(
      failed(null, elsewhere + upstreamPort),
    );
  });

  test('on an address of another machine, which is not connected to', async () => {
    const place = { port: stack.httpPort, tls: false, name: 'up.example' };
    const asked = { path: '/ready', contains: null, timeout: limit(1_000), userAgent: 'a test' };
    const elsewhere = (host: string) => askAt({ ...place, host }, asked);
    for (const host of ['192.0.2.1', '2001:db8::1', 'other.invalid']) {
      expect(await elsewhere(host)).toEqual({
        status: null,
        fault: `Caddy listens on ${host}, which is not an address of its machine`,
      });
    }
    // That it could be answered:
    expect(await elsewhere('127.0.0.2')).toMatchObject({ status: 200 });
  });

  test('alone if no request can name its site', async () => {
    const checks = [
      { name: 'a\u0001b.example', check: { path: '/ready', within: 0.1 } },
      { name: 'up.example', check: { path: '/ready' } },
    ];
    expect(await check(checks)).toMatchObject([
      failed(null, 'No request can name this site'),
      { passed: true },
    ]);
  });

  test('and hangs up on a body that never ends, or comes slowly', async () => {
    expect(await up({ path: '/endless', contains: 'ready', within: SHORT })).toEqual(
      failed(200, 'The response body of GET /endless does not contain “ready”'),
    );
    expect(await up({ path: '/trickle', contains: 'ready', within: SHORT })).toEqual(
      failed(200, 'The response body of GET /trickle does not contain “ready”'),
    );
    await until(() => open.size === 0, 'the end of the connections');
    // What the buffers of the proxy and the kernel hold besides.
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });
});

test('a listener that the proxy is about to close does not count', async () => {
  // A stand-in for that of the previous configuration, which Caddy closes within a millisecond.
  const previous = Bun.serve({
    port: stack.httpPort,
    reusePort: true,
    fetch: () => new Response('previous'),
  });
  const visit = async () => (await stack.served('down.example')).text;
  await until(async () => (await visit()) === 'previous', 'an answer of the stand-in');
  const pending = check(
    Array.from({ length: 20 }, () => ({ name: 'down.example', check: { path: '/', within: 0.2 } })),
  );
  // Time enough to ask, if it did not wait.
  for (let visits = 0; visits < 10; visits++) await visit();
  await previous.stop(true);
  expect((await pending).filter((answer) => answer.passed)).toEqual([]);
});

test('nor does it however long it stays, which the answer says', async () => {
  const previous = Bun.serve({
    port: stack.httpPort,
    reusePort: true,
    fetch: () => new Response('previous'),
  });
  await until(async () => (await stack.served('down.example')).text === 'previous', 'the stand-in');
  const asked = { name: 'down.example', check: { path: '/', within: 1.5 } };
  const answers = await check(Array.from({ length: 20 }, () => asked));
  await previous.stop(true);
  const reason = `Another listener on port ${stack.httpPort} may answer instead: Caddy has not closed its previous one, or another program shares the port`;
  expect(answers).toEqual(answers.map(() => failed(null, reason)));
});

describe('a check passes', () => {
  test('although another program has the port on another address', async () => {
    const port = freePort();
    const own = `http://own.example:${port} {\n\tbind 127.0.0.2\n\trespond own\n}\n`;
    const other = Bun.serve({ hostname: '127.0.0.3', port, fetch: () => new Response('other') });
    const live = stack.readProxyfile();
    await load(live + own);
    const asked = { path: '/', contains: 'own' };
    expect(await one('own.example', asked, port)).toMatchObject({ passed: true });
    await load(live);
    await other.stop(true);
  });

  test('with the status and the body that it asks for', async () => {
    expect(await up({ path: '/ready?x=/../%2F' })).toEqual(passed(200, 'GET /ready answered 200'));
    expect(requests.at(-1)).toStartWith('GET /ready?x=/../%2F HTTP/1.1\r\n');
    expect(await up({ path: '/redirect', status: 302 })).toMatchObject({ passed: true });
    expect(await up({ path: '/split', contains: 'is ready' })).toMatchObject({ passed: true });
    expect(await up({ path: '/endless' })).toMatchObject({ passed: true });
    await until(() => open.size === 0, 'the end of the connections');
  });

  test.each<[string, () => number, string]>([
    ['a name over TLS', () => stack.httpsPort, 'secure.example'],
    ['a wildcard over TLS', () => stack.httpsPort, '*.secure.example'],
    ['an address over TLS', () => stack.httpsPort, '127.0.0.1'],
    ['a name in a server of its own', () => otherPort, 'named.example'],
    // It is looked up nowhere.
    ['a name that begins like an address', () => stack.httpsPort, '127.named.example'],
  ])('of %s', async (_, port, name) => {
    const host = name.replace('*', 'signalbox-state');
    expect(await one(name, { path: '/', contains: host, within: 15 }, port())).toMatchObject({
      passed: true,
      status: 200,
    });
  });

  test('of a wildcard, and of a port of IPv6 for any host', async () => {
    expect(await one('*.wild.example', { path: '/ready' })).toMatchObject({ passed: true });
    expect(requests.at(-1)).toContain(
      `\r\nHost: signalbox-state.wild.example:${stack.httpPort}\r\n`,
    );
    const any = { path: '/', contains: 'any localhost signalbox-check/' };
    expect(await one('', any, otherPort)).toMatchObject({ passed: true });
  });

  test('with any answer, if it asks for nothing', async () => {
    expect(await one('down.example', null)).toEqual(passed(502, 'GET / answered 502'));
  });

  test('once the upstream answers as it should', async () => {
    const port = freePort();
    await reload(`http://up.example {\nreverse_proxy 127.0.0.1:${port}\n}`);
    const pending = up({ path: '/', contains: 'now', within: 15 });
    await until(async () => (await stack.served('up.example')).status === 502, 'a first failure');
    const late = Bun.serve({ port, hostname: '127.0.0.1', fetch: () => new Response('now') });
    expect(await pending).toEqual(passed(200, 'GET / answered 200'));
    await late.stop(true);
  });
});
