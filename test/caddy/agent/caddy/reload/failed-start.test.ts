/** A configuration that Caddy accepts and then cannot start, with each Caddy. */
import { afterEach, expect, test } from 'bun:test';
import { caddiesOf, caddyIs } from '../../../../harness/caddys.ts';
import { countListeners } from '../../../../harness/listeners.ts';
import { ask, type Stack, startStack } from '../../../../harness/stack.ts';

let stack: Stack | undefined;
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});

const reload = (of: Stack, proxyfile: string) =>
  ask<{ code?: string; detail?: string }>(`${of.agent}/proxy/reload`, {
    json: { proxyfile },
    headers: of.agentHeaders,
  });
const site = (of: Stack, body: string) => `http://a.example:${of.httpPort} {\n${body}\n}\n`;
const caddies = (of: Stack) => caddiesOf(of.dataDir);

test('Caddy serves only the old sites after a failed start, as a new process if necessary', async () => {
  stack = await startStack();
  await reload(stack, site(stack, 'respond old'));
  const [before] = caddies(stack);
  // The agent tries TCP ports first; HTTP/3's UDP port fails only when it is opened.
  const udp = await Bun.udpSocket({ hostname: '0.0.0.0', port: stack.httpsPort });
  const secure = `secure.localhost:${stack.httpsPort} {\ntls internal\nrespond new\n}\n`;
  const options = `{\nhttps_port ${stack.httpsPort}\nskip_install_trust\nauto_https disable_redirects\n}\n`;
  // Whether listeners leak depends on the order in which Caddy iterates over a map, until 2.10.1.
  for (let round = 0; round < 30; round++) {
    const refused = await reload(stack, options + site(stack, 'respond new') + secure);
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(refused.body.detail).toContain('address already in use');
    expect(countListeners(stack.httpPort)).toBe(1);
    expect((await stack.served('a.example')).text).toBe('old');
    if (stack.lines.join('\n').includes('proxy restarted after a failed start')) break;
  }
  udp.close();
  const after = caddies(stack);
  expect(after.length).toBe(1);
  expect(after[0]?.pid === before?.pid).toBe(caddyIs('>=2.10.1'));
});
