import { afterEach, describe, expect, test } from 'bun:test';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProxy } from '../../../../agent/caddy/proxy.ts';
import { readSettings } from '../../../../src/program/config.ts';
import { serveAgent, serveAll } from '../../../../src/program/serve/serve.ts';
import { caddiesOf, caddyIs } from '../../../harness/caddys.ts';
import { countListeners } from '../../../harness/listeners.ts';
import {
  ask,
  freePort,
  machine,
  type Stack,
  startStack,
  temporaryFolder,
  until,
} from '../../../harness/stack.ts';

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

describe('a managed Caddy', () => {
  test('gets none of our environment, only the variables in the file', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'proxy.env');
    writeFileSync(file, '# keys\nDNS_KEY="k 1"\nexport OTHER=two\n\n');
    process.env.SIGNALBOX_TEST_SECRET = 'hush';
    stack = await startStack({ PROXY_ENV_FILE: file }, folder);
    const body =
      'respond "{env.DNS_KEY}|{env.OTHER}|{env.SIGNALBOX_TEST_SECRET}|{env.AGENT_TOKEN}|{$DNS_KEY}"';
    expect((await reload(stack, site(stack, body))).status).toBe(200);
    expect((await stack.served('a.example')).text).toBe('k 1|two|||k 1');
    const [caddy] = caddies(stack);
    const names = readFileSync(`/proc/${caddy?.pid}/environ`, 'utf8')
      .split('\0')
      .map((pair) => pair.split('=')[0])
      .filter(Boolean);
    expect(names.toSorted()).toEqual([
      'DNS_KEY',
      'HOME',
      'OTHER',
      'PATH',
      'XDG_CONFIG_HOME',
      'XDG_DATA_HOME',
    ]);
    delete process.env.SIGNALBOX_TEST_SECRET;
  });

  test('is restarted when it dies, with the same sites', async () => {
    stack = await startStack();
    await reload(stack, site(stack, 'respond alive'));
    const [first] = caddies(stack);
    process.kill(first?.pid ?? 0, 'SIGKILL');
    const of = stack;
    const second = await until(() => caddies(of).find(({ pid }) => pid !== first?.pid));
    await until(async () => (await of.served('a.example').catch(() => null))?.text === 'alive');
    expect(second.pid).not.toBe(first?.pid);
    expect(caddies(stack).length).toBe(1);
  });

  test('stops with its agent', async () => {
    stack = await startStack();
    expect(caddies(stack).length).toBe(1);
    const of = stack;
    await stack.stop();
    stack = undefined;
    expect(caddies(of)).toEqual([]);
  });

  test('reports a port that is in use, and starts once it is free', async () => {
    stack = await startStack();
    const taken = Bun.listen({ hostname: '0.0.0.0', port: stack.httpPort, socket: { data() {} } });
    const refused = await reload(stack, site(stack, 'respond x'));
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(refused.body.detail).toContain('address already in use');
    taken.stop(true);
    expect((await reload(stack, site(stack, 'respond x'))).status).toBe(200);
    expect(caddies(stack).length).toBe(1);
  });

  test('serves only the old sites after a failed start, as a new process if necessary', async () => {
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
  }, 30_000);

  test('is not disturbed by a second program that cannot start', async () => {
    stack = await startStack();
    await reload(stack, site(stack, 'respond first'));
    const [before] = caddies(stack);
    const again = { ...stack.settings, agent: { ...stack.settings.agent, port: 0 } };
    expect(serveAll(again, () => {})).rejects.toThrow('is using the data folder');
    const agent = readSettings('agent', { ...agentEnv(stack), AGENT_PORT: '0' }, machine).agent;
    expect(serveAgent(agent, stack.token, () => {})).rejects.toThrow('another agent');
    await Bun.sleep(600);
    expect(caddies(stack).map(({ pid }) => pid)).toEqual([before?.pid ?? 0]);
    expect((await stack.served('a.example')).text).toBe('first');
  });

  test('works with a data folder whose path is too long for a socket', async () => {
    const folder = join(temporaryFolder(), 'a'.repeat(60), 'b'.repeat(60));
    stack = await startStack({}, folder);
    expect(stack.settings.agent.proxy.admin.length).toBeLessThan(105);
    expect((await reload(stack, site(stack, 'respond deep'))).status).toBe(200);
  });
});

describe('a proxy that hangs or is missing', () => {
  /** Stands in for a Caddy whose validation hangs, because a real one cannot be made to. */
  test('is killed after the timeout and reported as unreachable', async () => {
    stack = await startStack();
    const bin = join(stack.folder, 'hanging-caddy');
    writeFileSync(bin, '#!/bin/sh\nexec sleep 20\n');
    chmodSync(bin, 0o755);
    const proxy = createProxy(
      { ...stack.settings.agent.proxy, managed: null, bin, deadline: 200 },
      [stack.token],
      () => {},
    );
    expect(proxy.reload(site(stack, 'respond x'))).rejects.toMatchObject({
      code: 'PROXY_UNREACHABLE',
    });
    const gone = createProxy(
      { ...stack.settings.agent.proxy, managed: null, bin: '/nowhere/caddy' },
      [stack.token],
      () => {},
    );
    expect(gone.reload(site(stack, 'respond x'))).rejects.toMatchObject({
      code: 'PROXY_UNREACHABLE',
    });
  });

  test('is PROXY_UNREACHABLE if it is unmanaged and not running, and health still answers', async () => {
    stack = await startStack({ PROXY_MANAGED: 'false', PROXY_ADMIN: `localhost:${freePort()}` });
    const refused = await reload(stack, site(stack, 'respond x'));
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_UNREACHABLE']);
    const status = await ask<object>(`${stack.agent}/proxy/status`, {
      headers: stack.agentHeaders,
    });
    expect(status.body).toMatchObject({ proxy: { running: false }, liveDigest: null });
    expect((await ask(`${stack.agent}/health`)).status).toBe(200);
  });
});

const agentEnv = (of: Stack) => ({
  PATH: process.env.PATH,
  DATA_DIR: of.dataDir,
  AGENT_TOKEN: of.token,
  PROXY_MANAGED: 'true',
  PROXYFILE: of.proxyfile,
});
