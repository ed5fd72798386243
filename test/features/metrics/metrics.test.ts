import { describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { collectStanding } from '../../../src/features/metrics/agents.ts';
import { hub as metrics } from '../../../src/features/metrics/hub.ts';
import { createRegistry } from '../../../src/features/metrics/shared/registry.ts';
import { serveHub } from '../../../src/program/serve/serve.ts';
import { readExposition, sampleOf } from '../../harness/exposition.ts';
import { forFile } from '../../harness/for-file.ts';
import { startHubAlone } from '../../harness/hub-alone.ts';
import { sendRaw } from '../../harness/raw.ts';
import { ask, freePort, signUp, startStack, temporaryFolder, until } from '../../harness/stack.ts';

const made: Record<string, string> = {};

const stack = await forFile(startStack());
const headers = (await signUp(stack)).headers;
for (const scope of ['read', 'write']) {
  const answer = await ask<{ token: string }>(`${stack.hub}/tokens`, {
    json: { name: scope, scope },
    headers,
  });
  made[scope] = answer.body.token;
}
const urlOf = (side: 'hub' | 'agent', of = stack) =>
  `${side === 'hub' ? of.hub.replace(/\/api$/, '') : of.agent}/metrics`;
const bearer = (token = '') => ({ Authorization: `Bearer ${token}` });
const port = () => new URL(stack.hub).port;

async function scrape(side: 'hub' | 'agent', of = stack) {
  const answer = await ask(urlOf(side, of));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return readExposition(answer.text);
}

describe.each(['hub', 'agent'] as const)('/metrics of the %s', (side) => {
  test.each<[string, Record<string, string>]>([
    ['came through a proxy', { 'X-Forwarded-For': '127.0.0.1' }],
    ['came through a proxy that sends Forwarded', { Forwarded: 'for=127.0.0.1' }],
    ['came through a proxy that sends Via', { Via: '1.1 Caddy' }],
    ['names a foreign host', { Host: 'evil.example' }],
    ['names a foreign host that looks like ours', { Host: '127.0.0.1.evil.example' }],
    ['is from a foreign page', { 'Sec-Fetch-Site': 'cross-site' }],
    ['is from a page on another port', { 'Sec-Fetch-Site': 'same-site' }],
    ['has a foreign Origin', { Origin: 'http://evil.example' }],
  ])('is closed to a request that %s', async (_, extra) => {
    const wrong = [{}, bearer('x'.repeat(43)), bearer(`sbx_${'a'.repeat(38)}`)];
    const other = side === 'hub' ? [bearer(stack.token)] : [headers, bearer(made.read)];
    const cookie = { Cookie: `signalbox_session=${headers.Authorization?.slice(7)}` };
    for (const credential of [...wrong, ...other, cookie]) {
      const answer = await ask<{ code: string }>(urlOf(side), {
        headers: { ...credential, ...extra } as Record<string, string>,
      });
      expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.text).not.toContain('signalbox_');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('is open to a valid bearer token from anywhere, and to anyone on this machine', async () => {
    const good = side === 'hub' ? [headers, bearer(made.read), bearer(made.write)] : [];
    if (side === 'agent') good.push(stack.agentHeaders);
    for (const credential of good) {
      const answer = await ask(urlOf(side), {
        headers: { ...credential, 'X-Forwarded-For': '203.0.113.9', Host: 'hub.example' },
      });
      expect(answer.status).toBe(200);
      readExposition(answer.text);
    }
    for (const host of [`localhost:${port()}`, `127.0.0.1:${port()}`, `[::1]:${port()}`]) {
      expect((await ask(urlOf(side), { headers: { Host: host } })).status).toBe(200);
    }
  });

  test('describes the process', async () => {
    const numbers = await scrape(side);
    expect(sampleOf(numbers, 'signalbox_build_info', `part="${side}"`)).toBe(1);
    expect(sampleOf(numbers, 'process_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect(sampleOf(numbers, 'process_cpu_seconds_total')).toBeGreaterThan(0);
    const started = sampleOf(numbers, 'process_start_time_seconds') ?? 0;
    expect(Math.abs(started - Date.now() / 1000)).toBeLessThan(3_600);
  });
});

test('a non-loopback address of this machine requires a bearer token', async () => {
  const address = Object.values(networkInterfaces())
    .flat()
    .find((one) => one && !one.internal && one.family === 'IPv4')?.address;
  if (address === undefined) return;
  const own = await startStack({ HUB_HOST: '0.0.0.0', AGENT_HOST: '0.0.0.0' });
  try {
    for (const side of ['hub', 'agent'] as const) {
      const url = urlOf(side, own).replace('0.0.0.0', address);
      const answer = await ask(url, { headers: { Host: 'localhost' } });
      expect(answer.status).toBe(401);
    }
  } finally {
    await own.stop();
  }
});

test('HUB_ORIGINS does not block it, and TRUST_PROXY does not open it', async () => {
  const env = { HUB_ORIGINS: 'https://box.example', TRUST_PROXY: 'true' };
  const own = await startHubAlone(env);
  const url = own.hub.replace(/\/api$/, '/metrics');
  try {
    expect((await ask(url)).status).toBe(200);
    for (const extra of [{ 'X-Forwarded-For': '127.0.0.1' }, { Host: 'evil.example' }]) {
      const answer = await ask(url, { headers: extra as Record<string, string> });
      expect(answer.status).toBe(401);
    }
  } finally {
    await own.stop();
  }
});

test('publishes, changes, sign-ins and requests are counted', async () => {
  const create = (name: string, config: string, enabled = true) =>
    ask<{ id: number }>(`${stack.hub}/vhosts`, {
      json: { domain: `http://${name}.example`, config, enabled },
      headers,
    });
  const one = await create('one', 'respond 1');
  await create('two', 'respond 2', false);
  expect((await create('bad', 'respnd 1')).status).toBe(502);
  await ask(`${stack.hub}/auth/sign-in/email`, {
    json: { email: 'ada@example.org', password: 'not this one' },
  });
  for (const path of ['a', 'b', 'c/d', '..%2f', 'vhosts/1/2']) await ask(`${stack.hub}/${path}`);
  for (const id of [one.body.id, 98, 99, 'x']) await ask(`${stack.hub}/vhosts/${id}`, { headers });

  const numbers = await scrape('hub');
  const of = (name: string, ...labels: string[]) =>
    sampleOf(numbers, `signalbox_${name}`, ...labels);
  expect(of('publishes_total', 'outcome="accepted"', 'kind="change"')).toBe(2);
  expect(of('publishes_total', 'outcome="rejected"', 'kind="change"')).toBe(1);
  expect(of('publishes_total', 'outcome="unknown"', 'kind="change"')).toBe(0);
  expect(of('published_changes_total')).toBe(2);
  expect(of('publish_duration_seconds_count', 'outcome="accepted"')).toBe(2);
  expect(of('publish_queue_length')).toBe(0);
  expect(of('vhosts', 'enabled="true"')).toBe(1);
  expect(of('vhosts', 'enabled="false"')).toBe(1);
  expect(of('sign_in_failures_total', 'reason="credentials"')).toBe(1);
  expect(of('sign_in_failures_total', 'reason="rate_limited"')).toBe(0);
  for (const up of ['agent_up', 'proxy_up', 'in_step']) expect(of(up)).toBe(1);
  const route = 'route="/api/vhosts/:id"';
  expect(of('http_requests_total', route, 'method="GET"', 'status="200"')).toBe(1);
  expect(of('http_requests_total', route, 'method="GET"', 'status="404"')).toBe(3);
  expect(of('http_requests_total', 'route="other"', 'method="GET"', 'status="404"')).toBe(5);
  const routes = numbers.get('signalbox_http_requests_total')?.samples ?? [];
  for (const { labels } of routes) expect(labels).not.toMatch(/one|98|\.\.|c\/d/);
});

test('the agent counts reloads, starts of its proxy and indexed bytes of the log', async () => {
  await ask(`http://127.0.0.1:${stack.httpPort}/`, { headers: { Host: 'one.example' } });
  const logged = () => ask<{ total: number }>(`${stack.hub}/logs`, { headers });
  await until(async () => (await logged()).body.total > 0, 'a line in the log');
  const numbers = await scrape('agent');
  const of = (name: string, ...labels: string[]) =>
    sampleOf(numbers, `signalbox_${name}`, ...labels);
  expect(of('log_indexed_bytes_total')).toBe(Bun.file(stack.accessLog).size);
  expect(of('log_segments')).toBe(1);
  expect(of('log_tails')).toBe(0);
  expect(of('proxy_up')).toBe(1);
  expect(of('proxy_starts_total', 'how="started"')).toBe(1);
  expect(of('proxy_reloads_total', 'outcome="accepted"')).toBeGreaterThanOrEqual(2);
  expect(of('proxy_reloads_total', 'outcome="rejected"')).toBe(1);
  const route = 'route="/proxy/reload"';
  expect(of('http_requests_total', route, 'status="502"')).toBe(1);
});

test('the agent shows which upstreams it can connect to', async () => {
  const port = freePort();
  for (const upstream of [`127.0.0.1:${port}`, new URL(stack.agent).host]) {
    const config = `reverse_proxy ${upstream}`;
    const json = { domain: `http://${upstream.replace(':', '-')}.example`, config };
    expect((await ask(`${stack.hub}/vhosts`, { headers, json })).status).toBe(201);
  }
  const both = await until(async () => {
    const numbers = await scrape('agent');
    const found = [`127.0.0.1:${port}`, new URL(stack.agent).host].map((upstream) =>
      sampleOf(numbers, 'signalbox_upstream_up', `upstream="${upstream}"`),
    );
    return !found.includes(undefined) && found;
  }, 'both upstreams');
  expect(both).toEqual([0, 1]);
});

test.each(['hub', 'agent'] as const)(
  'our own proxy in front of the %s makes nobody local, whatever Host it forwards',
  async (side) => {
    const { host } = new URL(urlOf(side));
    const made = await ask(`${stack.hub}/vhosts`, {
      json: {
        domain: `http://front-of-${side}.example`,
        config: `reverse_proxy ${host} {\nheader_up Host localhost\n}`,
      },
      headers,
    });
    expect(made.status).toBe(201);
    const answer = await stack.served(`front-of-${side}.example`, '/metrics');
    expect([answer.status, answer.text.includes('signalbox_')]).toEqual([401, false]);
  },
);

test('behind any proxy on the same machine, nobody reads them, but Prometheus without one', async () => {
  for (const base of [stack.hub.replace('/api', ''), stack.agent]) {
    const { host } = new URL(base);
    for (const more of ['Connection: close\r\n', 'X-Varnish: 1\r\n']) {
      const request = `GET /metrics HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
      const answer = await sendRaw(base, request);
      expect([more, answer.status]).toEqual([more, 401]);
      expect(answer.body).not.toContain('signalbox_');
    }
    const prometheus = `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: Prometheus/3\r\nAccept: */*\r\nAccept-Encoding: gzip\r\nX-Prometheus-Scrape-Timeout-Seconds: 10\r\n\r\n`;
    expect((await sendRaw(base, prometheus)).status).toBe(200);
  }
});

describe('a scrape never waits for an agent that does not answer', () => {
  const publisher = { isInStep: () => true };

  test('an agent that is gone or hangs is 0', async () => {
    const gone = {
      status: () => Promise.reject(new Error('gone')),
      answers: () => Promise.resolve(false),
    };
    const values = (await collectStanding(gone, publisher)).map(({ name, samples }) => [
      name,
      samples[0]?.value,
    ]);
    for (const name of ['agent_up', 'proxy_up', 'in_step']) {
      expect(values).toContainEqual([`signalbox_${name}`, 0]);
    }
    // Nobody knows.
    for (const name of ['drift', 'restart_needed']) {
      expect(values).toContainEqual([`signalbox_${name}`, undefined]);
    }
  });

  test.each(['is silent', 'is gone'])('a hub whose agent %s says so', async (how) => {
    const silent = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Promise(() => {}),
    });
    if (how === 'is gone') await silent.stop(true);
    const folder = temporaryFolder();
    const settings = {
      host: '127.0.0.1',
      port: 0,
      dataDir: folder,
      socket: join(folder, 'hub.sock'),
      signUp: 'closed',
      agentUrl: `http://127.0.0.1:${silent.port}`,
      agentName: 'local',
      agentTrust: null,
      agentDeadline: 100,
      trustProxy: false,
      origins: [],
      hosts: [],
      importDirs: [],
      plans: [{ load: async () => metrics }],
    } as const;
    const hub = await serveHub(settings, 'x'.repeat(40), () => {});
    try {
      const numbers = readExposition((await ask(`${hub.url}/metrics`)).text);
      for (const name of ['agent_up', 'proxy_up', 'in_step', 'publish_queue_length']) {
        expect(sampleOf(numbers, `signalbox_${name}`)).toBe(0);
      }
      expect(sampleOf(numbers, 'process_cpu_seconds_total')).toBeGreaterThan(0);
    } finally {
      await silent.stop(true);
      await hub.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('a collector that fails or hangs is left out and logged', async () => {
    const lines: string[] = [];
    const up = { name: 'up', help: 'x', type: 'gauge', samples: [{ value: 1 }] } as const;
    const registry = createRegistry((event) => lines.push(event), 50);
    const text = () =>
      registry.text([
        () => [up],
        () => Promise.reject(new Error('no')),
        () => new Promise(() => {}),
      ]);
    const [numbers, again] = await Promise.all([text(), text()]);
    for (const text of [numbers, again]) expect(sampleOf(readExposition(text), 'up')).toBe(1);
    expect(lines).toEqual(Array(4).fill('metrics incomplete'));
  });

  test('labels are escaped, and removed once they are gone', async () => {
    let domain = 'a"\\\n.example';
    const registry = createRegistry(() => {});
    const text = () =>
      registry.text([
        () => [
          { name: 'x', help: 'x', type: 'gauge', samples: [{ labels: { domain }, value: 7 }] },
        ],
      ]);
    expect(sampleOf(readExposition(await text()), 'x', 'domain="a\\"\\\\\\n.example"')).toBe(7);
    domain = 'b';
    const samples = readExposition(await text()).get('x')?.samples;
    expect(samples).toEqual([{ name: 'x', labels: 'domain="b"', value: 7 }]);
  });
});

test('other root paths get only JSON errors', async () => {
  const root = stack.hub.replace(/\/api$/, '');
  for (const path of ['/nothing', '/metrics/x', '/vhosts', '/health']) {
    const answer = await ask<{ code: string }>(root + path, { headers });
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});
