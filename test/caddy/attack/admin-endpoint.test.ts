// proof: attack
/** A site, published by an editor, through which a stranger tries to reach Caddy's admin endpoint. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretName } from '../../../agent/caddy/identity.ts';
import { readIfThere } from '../../../src/shared/system/files.ts';
import { caddiesOf } from '../../harness/caddys.ts';
import {
  ask,
  freePort,
  type Stack,
  signUp,
  startStack,
  temporaryFolder,
  until,
} from '../../harness/stack.ts';

/** Only root can give Caddy a user of its own. */
const SHARES_USER = process.getuid?.() !== 0;

/** Ways to write a connection to the endpoint, and what the stranger's request carries. */
type Way = [name: string, upstream: string, headers?: Record<string, string>];

/** The managed Caddy's socket, as Caddy itself may name it. */
const SOCKET = '/proc/self/cwd/../run/admin.sock';

const SOCKET_WAYS: Way[] = [
  ['its path', 'unix/ADMIN'],
  ['the working folder', `unix/${SOCKET}`],
  ['a relative path', 'unix/../run/admin.sock'],
  ['dots', 'unix/../../caddy/./run/admin.sock'],
  ['a variable', 'unix/{env.HOME}/run/admin.sock'],
  ['the request', '{header.to}', { To: 'unix/ADMIN' }],
  ['the request, in part', 'unix/{header.to}', { To: 'ADMIN' }],
];
const TCP_WAYS: Way[] = [
  ['its address', 'ADMIN'],
  ['IPv4', '127.0.0.1:PORT'],
  ['short IPv4', '127.1:PORT'],
  ['a number', '2130706433:PORT'],
  ['IPv6', '[::1]:PORT'],
  ['long IPv6', '[0:0:0:0:0:0:0:1]:PORT'],
  ['IPv4 in IPv6', '[::ffff:7f00:1]:PORT'],
  ['IPv6 with a zone', '[::1%lo]:PORT'],
  ['a final dot', 'localhost.:PORT'],
  ['any address', '0.0.0.0:PORT'],
  ['a range', 'localhost:PORT-PORT'],
  ['a variable', '{env.NOTHING}localhost:PORT'],
  ['the request', '{header.to}', { To: 'ADMIN' }],
  ['the request, in part', 'localhost:{header.to}', { To: 'PORT' }],
];
const DYNAMIC: Way[] = [
  ['DNS', 'dynamic a localhost PORT'],
  ['DNS that a request names', 'dynamic a {header.to} PORT', { To: 'localhost' }],
];

for (const kind of ['socket', 'TCP'] as const) {
  describe(`an admin endpoint on ${kind}`, () => {
    let stack: Stack;
    let headers: Record<string, string>;
    let address: string;
    let port: string;
    /** A Host that Caddy would let in; what follows a slash is cut off. */
    const host = () => (kind === 'TCP' ? address : '/');
    const fill = (text: string) => text.replaceAll('ADMIN', address).replaceAll('PORT', port);
    const state = async () => ({
      live: (await ask<object>(`${stack.agent}/proxy/status`, { headers: stack.agentHeaders }))
        .body,
      caddies: caddiesOf(stack.dataDir),
    });

    beforeAll(async () => {
      port = String(freePort());
      const folder = temporaryFolder();
      // Else Caddy could not run as a user of its own.
      chmodSync(folder, 0o711);
      const admin = kind === 'TCP' ? { PROXY_ADMIN: `localhost:${port}` } : {};
      stack = await startStack(admin, folder);
      address = stack.settings.agent.proxy.admin.replace(/^unix\//, '');
      headers = (await signUp(stack)).headers;
    });
    afterAll(() => stack.stop());

    const publish = (config: string, domain = 'http://attack.example') =>
      ask<{ id: number }>(`${stack.hub}/vhosts`, { headers, json: { domain, config } });
    const withdraw = (id: number) =>
      ask(`${stack.hub}/vhosts/${id}`, { method: 'DELETE', headers });

    /** A plain path to it is refused, and any path where Caddy shares the user of the agent. */
    const mayBeRefused = (config: string) => SHARES_USER || config.includes(`unix/${address}`);

    async function knock(host: string, sent: Record<string, string>[]): Promise<void> {
      const before = await state();
      for (const carried of sent) {
        for (const [method, path] of [
          ['GET', '/config/'],
          ['POST', '/load'],
          ['POST', '/stop'],
        ] as const) {
          const answer = await ask(`http://127.0.0.1:${stack.httpPort}${path}`, {
            method,
            ...(method === 'POST' ? { raw: '{}' } : {}),
            headers: { Host: host, ...carried },
          });
          expect(answer.status).toBeGreaterThanOrEqual(400);
          expect(answer.text).not.toContain('signalbox_access');
          expect(answer.text).not.toContain(secretName(stack.token));
        }
      }
      expect(await state()).toEqual(before);
    }

    const proxying = kind === 'TCP' ? TCP_WAYS : SOCKET_WAYS;
    const ways = [...proxying, ...(kind === 'TCP' ? DYNAMIC : [])].map(
      ([name, to, sent = {}], at) => ({
        name,
        host: `way-${at}.example`,
        config: () =>
          at < proxying.length
            ? `reverse_proxy ${fill(to)} {\nheader_up Host ${host()}\n}`
            : `reverse_proxy {\n${fill(to)}\nheader_up Host ${host()}\n}`,
        sent: () =>
          Object.fromEntries(Object.entries(sent).map(([key, value]) => [key, fill(value)])),
      }),
    );

    /** One publish for those that are surely accepted. */
    beforeAll(async () => {
      const operations = ways
        .filter(({ config }) => !mayBeRefused(config()))
        .map(({ host, config }) => ({ op: 'create', domain: `http://${host}`, config: config() }));
      if (operations.length === 0) return;
      const made = await ask(`${stack.hub}/vhosts/bulk`, { headers, json: { operations } });
      expect([made.status, made.text]).toEqual([200, expect.any(String)]);
    });

    test.each(ways)('is not reached by $name', async ({ host, config, sent }) => {
      if (mayBeRefused(config())) {
        const made = await publish(config(), `http://${host}`);
        if (made.status === 502) return expect(made.text).toContain('A unix socket');
        expect([made.status, made.text]).toEqual([201, expect.any(String)]);
      }
      await knock(host, [sent()]);
    });

    test('lets nobody in who guesses its names', async () => {
      const upstream = kind === 'TCP' ? address : `unix/${SOCKET}`;
      const guesses = ['', 'localhost', '127.0.0.1', fill('localhost:PORT'), 'caddy.internal'];
      const names = [...guesses, 'signalbox.invalid', '*.signalbox.invalid', '*', 'null'];
      const made = await publish(
        `reverse_proxy ${upstream} {\nheader_up Host {header.x-name}\nheader_up Origin {header.x-origin}\n}`,
      );
      if (SHARES_USER && made.status === 502) {
        return expect(made.text).toContain('A unix socket');
      }
      expect([made.status, made.text]).toEqual([201, expect.any(String)]);
      const guessed = names.flatMap((guess) =>
        [guess, `http://${guess}`, `https://${guess}`].map((origin) => ({
          'X-Name': guess,
          'X-Origin': origin,
        })),
      );
      await knock('attack.example', guessed);
      await withdraw(made.body.id);
    });

    test('takes no orders from a log', async () => {
      const to = kind === 'TCP' ? `tcp/${address}` : `unix/${SOCKET}`;
      // In a time format the digit 5 is the second, so that HTTP/5.5 is HTTP/1.1 once a minute.
      const order = (version: string) =>
        `POST /stop HTTP/${version}\nHost: ${host().replace('/', '')}\nContent-Length: 0\n\n`;
      const made = await publish(
        `respond logged\nlog {\noutput net ${to}\nformat console {\ntime_format "${order('5.5')}"\n}\n}`,
      );
      // The validation, in another working folder, does not even find the socket.
      expect(made.status).toBe(kind === 'TCP' ? 201 : 502);
      const before = await state();
      if (kind === 'TCP') expect((await stack.served('attack.example')).text).toBe('logged');

      let answer = '';
      const socket = {
        data(_: unknown, bytes: Buffer) {
          answer += bytes;
        },
      };
      const connection = await (kind === 'TCP'
        ? Bun.connect({ hostname: 'localhost', port: Number(port), socket })
        : Bun.connect({ unix: address, socket }));
      connection.write(order('1.1'));
      await until(() => answer.includes('\r\n\r\n'), 'an answer');
      connection.end();
      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
      expect(await state()).toEqual(before);
      if (kind === 'TCP') expect((await withdraw(made.body.id)).status).toBe(200);
    });

    test('lets dynamic upstreams work', async () => {
      const upstream = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: ({ url }) => new Response(`upstream ${new URL(url).pathname}`),
      });
      const at = `127.0.0.1:${upstream.port}`;
      const choose = `map {path} {backend} {\n/map ${at}\ndefault 127.0.0.1:1\n}\nreverse_proxy {backend}`;
      const match = `@x path_regexp x ^/port/(\\d+)\nreverse_proxy @x 127.0.0.1:{re.x.1}`;
      const dns = `reverse_proxy {\ndynamic a localhost ${upstream.port}\n}`;
      for (const [config, path] of [
        [choose, '/map'],
        [match, `/port/${upstream.port}`],
        [dns, '/dns'],
      ] as const) {
        const made = await publish(config);
        expect([made.status, made.text]).toEqual([201, expect.any(String)]);
        expect((await stack.served('attack.example', path)).text).toBe(`upstream ${path}`);
        await withdraw(made.body.id);
      }
      await upstream.stop(true);
    });

    test('tells its secret to no file, argument list, environment, log or answer', async () => {
      const leak = join(stack.dataDir, 'logs', 'leak.log');
      const { http, https } = { http: stack.httpPort, https: stack.httpsPort };
      const preamble = `{\nhttp_port ${http}\nhttps_port ${https}\nskip_install_trust\ndebug\nlog {\noutput file ${leak}\nlevel DEBUG\n}\nlog all {\noutput file ${leak}2\nlevel DEBUG\n}\nlog admin {\ninclude admin admin.api\noutput file ${leak}3\n}\n}`;
      const put = await ask(`${stack.hub}/preamble`, {
        method: 'PUT',
        headers,
        json: { config: preamble },
      });
      expect([put.status, put.text]).toEqual([200, expect.any(String)]);
      const made = await publish('respond x');
      await withdraw(made.body.id);
      await until(() => readFileSync(leak, 'utf8').includes('"http'), 'the log');

      const secret = secretName(stack.token);
      const [caddy] = caddiesOf(stack.dataDir);
      const process = ['cmdline', 'environ'].map((file) => `/proc/${caddy?.pid}/${file}`);
      const names = readdirSync(stack.folder, { recursive: true, withFileTypes: true });
      const files = names
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      let read = 0;
      for (const file of [...files, ...process]) {
        // A lock of Caddy's may be gone by now.
        const content = readIfThere(file);
        if (content !== null) read++;
        expect([file, content?.includes(secret) ?? false]).toEqual([file, false]);
      }
      expect(read).toBeGreaterThan(5);
      expect(stack.lines.join('\n')).not.toContain(secret);
      for (const path of ['/proxy/status', '/proxy/certificates', '/metrics']) {
        const answer = await ask(`${stack.agent}${path}`, { headers: stack.agentHeaders });
        expect(answer.text).not.toContain(secret);
      }
    });
  });
}
