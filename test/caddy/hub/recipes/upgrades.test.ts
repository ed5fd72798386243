/** Upgrades of a connection, which make a tunnel to the upstream that no policy looks into. */
import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import type { Values } from '../../../../src/hub/recipes/recipe.ts';
import { hashSecrets } from '../../../../src/hub/recipes/secrets.ts';
import { forFile, listenerForFile, serverForFile } from '../../../harness/for-file.ts';
import { behind, startSitesCaddy } from '../../../hub/recipes/sites-caddy.ts';

/** Lets everybody in. */
const service = serverForFile(() => new Response(null));

/** Agrees to every upgrade, and then gets whatever comes. */
const TUNNELLED = 'GET /secret HTTP/1.1\r\nHost: a\r\nRemote-User: admin\r\n\r\n';
const arrived: string[] = [];
const upstream = listenerForFile((text, socket) => {
  if (text.endsWith(TUNNELLED)) socket.end();
  if (!text.endsWith('\r\n\r\n') || text.endsWith(TUNNELLED)) return;
  arrived.push(text);
  const wanted = /^upgrade: *(\S+)/im.exec(text)?.[1];
  socket.write(
    wanted === undefined
      ? 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
      : `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${wanted}\r\n\r\n`,
  );
});

const address = `127.0.0.1:${service.port}`;
const exemptPaths = ['/public/*'];
const users = await hashSecrets('basic-auth', { users: [{ name: 'ada', password: 'x' }] });
const body = `reverse_proxy 127.0.0.1:${upstream.port}`;
const site = (id: string, values: Values) => behind([[id, values]], body);
const caddy = await forFile(
  startSitesCaddy({
    'basic-auth.test': site('basic-auth', { ...users, exemptPaths }),
    'forward-auth.test': site('forward-auth', { address, uri: '/a', copyHeaders: [], exemptPaths }),
    'authelia.test': site('authelia', { address, exemptPaths }),
    'authentik.test': site('authentik', { address, exemptPaths }),
    // Whom the service lets in, it also names.
    'signed-in.test': site('authelia', { address }),
  }),
);

/** Asks for an upgrade, and if it is granted, for a secret inside the tunnel. @returns the status */
function upgrade(host: string, lines: readonly string[]): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const socket = connect(caddy.port, '127.0.0.1');
  const head = ['GET /public/a HTTP/1.1', `Host: ${host}`, ...lines];
  let status = 0;
  socket.on('connect', () => socket.write(`${head.join('\r\n')}\r\n\r\n`));
  socket.on('data', (chunk) => {
    status ||= Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString())?.[1]);
    if (status === 101) socket.write(TUNNELLED);
    else socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => resolve(status));
  return promise;
}

const HOSTS = ['basic-auth', 'forward-auth', 'authelia', 'authentik', 'signed-in'];

describe.each(HOSTS)('of a site with %s', (name) => {
  test.each([
    ['h2c', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']],
    ['any word', ['connection: keep-alive, upgrade', 'upgrade: tunnel']],
    ['a word that begins with websocket', ['Connection: Upgrade', 'Upgrade: websocket2']],
    ['two words', ['Connection: Upgrade', 'Upgrade: h2c, websocket']],
    ['two words, websocket first', ['Connection: Upgrade', 'Upgrade: websocket, h2c']],
    ['two headers', ['Connection: Upgrade', 'Upgrade: h2c', 'Upgrade: websocket']],
  ])('an upgrade to %s does not become a tunnel', async (_, lines) => {
    arrived.length = 0;
    expect(await upgrade(`${name}.test`, lines)).toBe(200);
    expect(arrived).toHaveLength(1);
    expect(arrived[0]).not.toMatch(/^upgrade:/im);
  });

  test.each(['websocket', 'WebSocket'])('a visitor gets an upgrade to %s', async (word) => {
    const key = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
    const lines = ['Connection: Upgrade', `Upgrade: ${word}`, ...key];
    expect(await upgrade(`${name}.test`, lines)).toBe(101);
  });
});
