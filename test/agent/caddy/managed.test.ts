import { afterEach, describe, expect, test } from 'bun:test';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProxy } from '../../../agent/caddy/proxy.ts';
import { readSettings } from '../../../src/program/config.ts';
import { serveAgent } from '../../../src/program/serve/agent.ts';
import { serveAll } from '../../../src/program/serve/all.ts';
import { caddiesOf } from '../../harness/caddys.ts';
import {
  ask,
  freePort,
  machine,
  type Stack,
  startStack,
  temporaryFolder,
  until,
} from '../../harness/stack.ts';

let stack: Stack | undefined;
afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});

const reload = (of: Stack, proxyfile: string) =>
  of.askAgent<{ code?: string; detail?: string }>('/proxy/reload', { proxyfile });
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

  test('is restarted when it dies, reports a port that is in use, and stops with its agent', async () => {
    const of = await startStack();
    stack = of;
    await reload(of, site(of, 'respond alive'));
    const [first] = caddies(of);
    process.kill(first?.pid ?? 0, 'SIGKILL');
    const second = await until(() => caddies(of).find(({ pid }) => pid !== first?.pid));
    await until(async () => (await of.served('a.example').catch(() => null))?.text === 'alive');
    expect(second.pid).not.toBe(first?.pid);
    expect(caddies(of).length).toBe(1);

    const taken = Bun.listen({ hostname: '0.0.0.0', port: 0, socket: { data() {} } });
    const other = `http://b.example:${taken.port} {\n\trespond x\n}\n`;
    const refused = await reload(of, other);
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(refused.body.detail).toContain('address already in use');
    taken.stop(true);
    expect((await reload(of, other)).status).toBe(200);
    expect(caddies(of).length).toBe(1);

    await of.stop();
    stack = undefined;
    expect(caddies(of)).toEqual([]);
  });

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
});

describe('a proxy that hangs or is missing', () => {
  test('is PROXY_UNREACHABLE, and health still answers', async () => {
    stack = await startStack({ PROXY_MANAGED: 'false', PROXY_ADMIN: `localhost:${freePort()}` });
    const refused = await reload(stack, site(stack, 'respond x'));
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_UNREACHABLE']);
    const status = await stack.askAgent<object>('/proxy/status');
    expect(status.body).toMatchObject({ proxy: { running: false }, liveDigest: null });
    expect((await ask(`${stack.agent}/health`)).status).toBe(200);

    // Stands in for a Caddy whose validation hangs, because a real one cannot be made to.
    const hanging = join(stack.folder, 'hanging-caddy');
    writeFileSync(hanging, '#!/bin/sh\nexec sleep 20\n');
    chmodSync(hanging, 0o755);
    for (const bin of [hanging, '/nowhere/caddy']) {
      const settings = { ...stack.settings.agent.proxy, managed: null, bin, deadline: 200 };
      const proxy = createProxy(settings, stack.token, () => {});
      await expect(proxy.reload(site(stack, 'respond x'))).rejects.toMatchObject({
        code: 'PROXY_UNREACHABLE',
      });
    }
  });
});

const agentEnv = (of: Stack) => ({
  PATH: process.env.PATH,
  DATA_DIR: of.dataDir,
  AGENT_TOKEN: of.token,
  PROXY_MANAGED: 'true',
  PROXYFILE: of.proxyfile,
});
