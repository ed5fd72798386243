/** Sites with TLS, signed by the CA of Caddy itself. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { ask, freePort, signUp, startLocalCaStack, until } from '../../harness/stack.ts';

test('a TLS site signed by Caddy’s own CA is served over HTTPS', async () => {
  const stack = await startLocalCaStack();
  const { headers } = await signUp(stack);
  // The HTTP port, which Caddy opens for any of them, is not reported as used by another program.
  const others = [`own.example:${freePort()}`, 'localhost', 'http://plain.example'];
  for (const domain of [...others, 'secure.localhost']) {
    const json = { domain, config: 'respond "over {scheme}"' };
    const made = await ask(`${stack.hub}/vhosts`, { json, headers });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  }

  const url = `https://secure.localhost:${stack.httpsPort}/`;
  const root = join(stack.dataDir, 'caddy/data/caddy/pki/authorities/local/root.crt');
  // Caddy signs certificates in the background: the first request may come too early.
  const tls = {
    ca: await until(
      () =>
        Bun.file(root)
          .text()
          .catch(() => null),
      'the CA',
    ),
  };
  const served = await until(() => fetch(url, { tls, keepalive: false }).catch(() => null), 'TLS');
  expect([served.status, await served.text()]).toEqual([200, 'over https']);
  const stranger = await fetch(url, { keepalive: false }).catch((error: Error) => error.message);
  expect(stranger).toEqual(expect.stringContaining('certificate'));

  // Plain HTTP is redirected to HTTPS.
  const plain = await stack.served('secure.localhost');
  expect([plain.status, plain.headers.get('location')]).toEqual([
    308,
    expect.stringContaining('https://secure.localhost'),
  ]);
  await stack.stop();
});
