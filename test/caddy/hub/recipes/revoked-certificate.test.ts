// proof: caddys
/** A new authority shuts out the devices of the old one, by whichever connection or session they had before. */
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { caddyIs } from '../../../harness/caddys.ts';
import { serverForFile } from '../../../harness/for-file.ts';
import { countListeners } from '../../../harness/listeners.ts';
import { limit } from '../../../harness/speed.ts';
import { freePort, until } from '../../../harness/stack.ts';
import { type SitesCaddy, serveCaddyfile } from '../../../hub/recipes/sites-caddy.ts';
import { createDevices } from './devices.ts';
import { startHttp3Visitor, VISITOR } from './http3-visitor.ts';

setDefaultTimeout(limit(60_000));
const { at, pem, run, siteOf, make, folder } = createDevices();
const [port, admin] = [freePort(), freePort()];
const service = serverForFile(() => new Response('sign in', { status: 401 }));
const address = `127.0.0.1:${service.port}`;
let caddy: SitesCaddy;

const textFor = (plain: number, authority: string): string =>
  [
    `{\n\tadmin 127.0.0.1:${admin}\n\tskip_install_trust\n\tauto_https disable_redirects\n}`,
    // Whether it runs is asked over HTTP.
    `http://:${plain} {\n\trespond x\n}`,
    siteOf(port, 'authelia.test', 'authelia', { address, exemptCertificates: pem(authority) }),
    siteOf(port, 'devices.test', 'client-certificate', { authority: pem(authority) }),
  ].join('\n\n');

/** As an agent does. */
async function publish(authority: string): Promise<void> {
  const headers = { 'Content-Type': 'text/caddyfile' };
  const body = textFor(caddy.port, authority);
  const { ok } = await fetch(`http://127.0.0.1:${admin}/load`, { method: 'POST', headers, body });
  expect(ok).toBe(true);
}

beforeAll(async () => {
  await make();
  caddy = await serveCaddyfile((plain) => textFor(plain, 'home'));
});
/** Waits until no connection gets to a server before: Caddy answers a load while it ends those. */
const settled = () => until(() => countListeners(port) === 1, 'the end of the servers before');
beforeEach(async () => {
  await publish('home');
  await settled();
});
afterAll(async () => {
  await caddy.stop();
  rmSync(folder, { recursive: true });
});

function curl(host: string, cert?: string): Promise<string> {
  const resolve = ['--resolve', `${host}:${port}:127.0.0.1`];
  const identity = cert ? ['--cert', at(`${cert}.pem`), '--key', at(`${cert}.key`)] : [];
  return run(['curl', '-sk', ...resolve, ...identity, `https://${host}:${port}/`]);
}

/** A connection of the device. */
const secure = (host: string, protocol: string) =>
  connectTls({
    host: '127.0.0.1',
    port,
    servername: host,
    ALPNProtocols: [protocol],
    rejectUnauthorized: false,
    cert: pem('mine'),
    key: readFileSync(at('mine.key'), 'utf8'),
  });

const HEAD = (host: string) => `GET / HTTP/1.1\r\nHost: ${host}:${port}\r\n`;

/** A connection by HTTP/1.1. @param sent of a request, at once */
async function openPlain(host: string, sent: string) {
  const socket = secure(host, 'http/1.1');
  const opened = { socket, text: '', isClosed: false };
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('secureConnect', resolve);
  socket.on('data', (chunk) => {
    opened.text += chunk;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    opened.isClosed = true;
  });
  await promise;
  if (sent !== '') socket.write(sent);
  return opened;
}

/** A connection by HTTP/2: asks on it, and gets the body, or nothing if it is not there any more. */
function openHttp2(host: string) {
  const session = connect(`https://${host}:${port}`, {
    createConnection: () => secure(host, 'h2'),
  });
  session.on('error', () => undefined);
  const get = (): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<string>();
    let text = '';
    try {
      const stream = session.request({ ':path': '/', ':authority': `${host}:${port}` });
      stream.setEncoding('utf8');
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('error', () => resolve(text));
      stream.on('close', () => resolve(text));
      stream.end();
    } catch {
      resolve(text);
    }
    return promise;
  };
  return { get, end: () => session.destroy() };
}

/** Over TLS by itself, so that a session can be kept and resumed. */
function ask(host: string, tls: string, more: string[]): Promise<string> {
  const to = ['-connect', `127.0.0.1:${port}`, '-servername', host];
  const request = `${HEAD(host)}Connection: close\r\n\r\n`;
  return run(['openssl', 's_client', ...to, tls, '-ign_eof', ...more], request);
}

const HOSTS: [host: string, stranger: string][] = [
  ['authelia.test', 'sign in'],
  ['devices.test', 'no connection'],
];

describe.each(HOSTS)('once its authority is another one, at %s', (host, stranger) => {
  test('the old certificate gets no connection, and the new one gets in', async () => {
    expect(await curl(host, 'mine')).toContain('BODY');
    await publish('other');
    await settled();
    expect(await curl(host, 'mine')).toBe('no connection');
    expect(await curl(host)).toBe(stranger);
    expect(await curl(host, 'theirs')).toContain('BODY');
  });

  // Caddy answers a load while it ends the servers before: a request of that moment may still be served.
  test('a connection by HTTP/1.1 that was used before is closed', async () => {
    const used = await openPlain(host, `${HEAD(host)}\r\n`);
    await until(() => used.text.includes('BODY'), 'the response');
    used.text = '';
    await publish('other');
    used.socket.write(`${HEAD(host)}\r\n${HEAD(host)}\r\n`);
    await until(() => used.isClosed, 'its end');
    expect(used.text.split('BODY').length - 1).toBeLessThanOrEqual(1);
  });

  test.each([
    ['nothing was sent on', ''],
    ['a request was begun on', HEAD(host)],
  ])('a connection that %s has no more than one response', async (_, sent) => {
    const half = await openPlain(host, sent);
    await publish('other');
    const rest = `${HEAD(host)}\r\n`.slice(sent.length);
    half.socket.write(`${rest}${HEAD(host)}\r\n`);
    await until(() => half.isClosed, 'its end');
    expect(half.text.split('BODY').length - 1).toBeLessThanOrEqual(1);
  });

  test('a connection by HTTP/2 opens nothing', async () => {
    const { get, end } = openHttp2(host);
    expect(await get()).toContain('BODY');
    await publish('other');
    await until(async () => (await get()) === '', 'its end');
    expect(await get()).toBe('');
    end();
  });

  test.if(VISITOR !== null && caddyIs('>=2.7.0'))('nor does one by HTTP/3', async () => {
    const cert = { pem: at('mine.pem'), key: at('mine.key') };
    const visitor = await startHttp3Visitor({ mine: { sni: host, cert } }, port, VISITOR ?? '');
    expect(await visitor.visit('mine', `${host}:${port}`)).toContain('BODY');
    await publish('other');
    const visit = () => visitor.visit('mine', `${host}:${port}`);
    await until(async () => !(await visit()).includes('BODY'), 'its end');
    expect(await visit()).toBe(' 502');
    await visitor.stop();
  });

  test.each(['-tls1_2', '-tls1_3'])('nor does a session, %s', async (tls) => {
    const file = at(`session${tls}`);
    rmSync(file, { force: true });
    const identity = ['-cert', at('mine.pem'), '-key', at('mine.key')];
    expect(await ask(host, tls, [...identity, '-sess_out', file])).toContain('BODY');
    // Newer Caddys give out none.
    if (!existsSync(file)) return;
    expect(await ask(host, tls, ['-sess_in', file])).toContain('BODY');
    await publish('other');
    await settled();
    for (const more of [[], identity]) {
      expect(await ask(host, tls, ['-sess_in', file, ...more])).not.toContain('BODY');
    }
  });
});
