/** A hub with a real Caddy, services that count who asks them, and a stranger at its doors. */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { DoorView } from '../../../../src/features/doors/schemas.ts';
import type { Paces } from '../../../../src/program/serve/running.ts';
import { caddyIs } from '../../../harness/caddys.ts';
import { startOwner } from '../../../harness/owner.ts';

/** Whether Caddy can be told a visitor's address. */
export const knowsAddresses = caddyIs('>=2.7.0');

/** Where nobody is at home. */
const STRANGER = '203.0.113.9';

/** What somebody got. `shut`: a refusal, or nothing. */
export type Live = 'anyone' | 'sign-in' | 'password' | 'shut';

/** From where, and with which lines of the request besides. */
type How = { as?: string; method?: string; headers?: readonly string[] };

export type House = Awaited<ReturnType<typeof startHouse>>;

export async function startHouse(paces?: Paces) {
  const asked = { upstream: 0, signIn: 0 };
  const serve = (name: keyof typeof asked, status: number) =>
    Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch() {
        asked[name]++;
        return new Response(name, { status });
      },
    });
  const [upstream, signIn] = [serve('upstream', 200), serve('signIn', 401)];
  const owner = await startOwner({ UPSTREAM_PROBE: 'false' }, undefined, paces);
  const { httpPort, httpsPort } = owner.stack;
  if (knowsAddresses) {
    const wrappers = 'listener_wrappers {\nproxy_protocol {\nallow 127.0.0.0/8\n}\ntls\n}';
    const { body } = await owner.call('GET', '/preamble');
    const config = body.config.replace('{', `{\nservers {\n${wrappers}\n}`);
    const { status, text } = await owner.call('PUT', '/preamble', { config });
    if (status !== 200) throw new Error(text);
  }

  return {
    ...owner,
    asked,
    upstream: `127.0.0.1:${upstream.port}`,
    signIn: `127.0.0.1:${signIn.port}`,
    async doors(): Promise<Map<string, DoorView>> {
      const { status, body, text } = await owner.call<DoorView[]>('GET', '/doors');
      if (status !== 200) throw new Error(text);
      return new Map(body.map((one) => [one.domain, one]));
    },
    /** Asks the Caddy that visitors reach. @param domain with its scheme */
    visit(domain: string, path: string, how: How = {}): Promise<Live> {
      const { as = STRANGER, method = 'GET', headers = [] } = how;
      const { hostname, protocol } = new URL(domain);
      const isTls = protocol === 'https:';
      const lines = [`Host: ${hostname}`, 'Connection: close', ...headers];
      const request = [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
      return exchange({ port: isTls ? httpsPort : httpPort, as, request, tls: isTls && hostname });
    },
    async stop() {
      await owner.stop();
      await Promise.all([upstream.stop(true), signIn.stop(true)]);
    },
  };
}

type Request = { port: number; as: string; request: string; tls: string | false };

async function exchange({ port, as, request, tls }: Request): Promise<Live> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const raw = connect({ host: '127.0.0.1', port });
  let text = '';
  raw.once('connect', () => {
    const family = as.includes(':') ? 'TCP6' : 'TCP4';
    const own = as.includes(':') ? '::1' : '127.0.0.1';
    if (knowsAddresses) raw.write(`PROXY ${family} ${as} ${own} 1 ${port}\r\n`);
    const socket = tls
      ? connectTls({ socket: raw, servername: tls, rejectUnauthorized: false })
      : raw;
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    if (tls) socket.once('secureConnect', () => socket.write(request));
    else socket.write(request);
  });
  raw.on('error', () => resolve(text));
  raw.on('close', () => resolve(text));
  return kindOf(await promise);
}

function kindOf(text: string): Live {
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
  if (text.endsWith('upstream')) return 'anyone';
  if (text.endsWith('signIn') || /\r\nlocation: https:\/\/sign-in\./i.test(text)) return 'sign-in';
  if (status === 401 && /\r\nwww-authenticate: basic/i.test(text)) return 'password';
  // Where no site has the host, the response is empty, or leads to HTTPS.
  const isNobodys = (status === 200 && text.endsWith('\r\n\r\n')) || status === 308;
  return status === 0 || status >= 400 || isNobodys ? 'shut' : 'anyone';
}
