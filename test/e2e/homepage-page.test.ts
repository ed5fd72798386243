// proof: docs
/** The examples of docs/homepage.md, as they stand there, against a real hub and agent. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { readExposition } from '../harness/exposition.ts';
import { forFile } from '../harness/for-file.ts';
import { startOwner } from '../harness/owner.ts';
import { filesOf, readPage } from '../harness/page.ts';
import { startReceiver } from '../harness/receiver.ts';
import { ask, freePort, until } from '../harness/stack.ts';

const files = await filesOf('docs/homepage.md');
const page = await readPage('docs/homepage.md');

const yaml = <T>(path: string) => Bun.YAML.parse(files.get(path) ?? '') as T;

const owner = await forFile(startOwner());
/** Of a viewer's token that only reads. */
let bearer: { Authorization: string };

/** What an address of the page answers. */
async function get(url: string, headers: Record<string, string> = {}) {
  const here = url.replace('https://hub.example/api', owner.stack.hub);
  const { status, body } = await ask<Record<string, unknown>>(here, { headers });
  return { status, body };
}

beforeAll(async () => {
  const eve = { name: 'Eve', email: 'eve@example.org', password: 'a long passphrase' };
  await owner.call('POST', '/users', { ...eve, role: 'viewer' });
  const signedIn = await ask<{ token: string }>(`${owner.stack.hub}/auth/sign-in/email`, {
    json: eve,
  });
  const made = await ask<{ token: string }>(`${owner.stack.hub}/tokens`, {
    json: { name: 'tile' },
    headers: { Authorization: `Bearer ${signedIn.body.token}` },
  });
  bearer = { Authorization: `Bearer ${made.body.token}` };
  const site = { domain: 'http://dead.example', config: 'reverse_proxy {upstream}' };
  await owner.call('POST', '/vhosts', { ...site, upstream: `127.0.0.1:${freePort()}` });
  await until(async () => {
    await owner.call('GET', '/status');
    return (await get('https://hub.example/api/summary', bearer)).body.sitesDown === 1;
  }, 'a site that is down');
});

test('the token reads what the page prints, and the table explains it', async () => {
  const [printed = ''] = /^# (\{.*\})$/m.exec(page.text)?.slice(1) ?? [];
  const { body } = await get('https://hub.example/api/summary', bearer);
  const names = Object.keys(JSON.parse(printed));
  expect(names).toEqual(Object.keys(body));
  const [, table = ''] = page.text.split('| number | meaning |');
  const [rows = ''] = table.split('\n\n');
  const cells = [...rows.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) => cell);
  expect([...cells.join().matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(names);
  expect((await get('https://hub.example/api/summary')).status).toBe(401);
});

test('Homepage: the tile has what its widget documents, of numbers that there are', async () => {
  type Service = Record<string, { href: string; widget: Record<string, unknown> }>;
  const [group] = yaml<Record<string, Service[]>[]>('/etc/homepage/services.yaml');
  const { widget } = Object.values(Object.values(group ?? {})[0]?.[0] ?? {})[0] ?? {};
  const { type, url, refreshInterval, headers, mappings } = widget ?? {};
  expect([type, refreshInterval]).toEqual(['customapi', 10_000]);
  const variable = '{{HOMEPAGE_VAR_SIGNALBOX_TOKEN}}';
  expect(headers).toEqual({ Authorization: `Bearer ${variable}` });
  const { status, body } = await get(String(url), bearer);
  expect(status).toBe(200);
  for (const { field, label, format, ...more } of mappings as Record<string, string>[]) {
    expect([typeof body[field ?? ''], typeof label, format, more]).toEqual([
      'number',
      'string',
      'number',
      {},
    ]);
  }
});

describe('Home Assistant', () => {
  test('the sensors are of numbers that there are', async () => {
    type Sensor = { unique_id: string; value_template: string };
    type Rest = Record<'sensor' | 'binary_sensor', Sensor[]> & { resource: string };
    const { rest } = yaml<{ rest: Rest[] }>('/etc/homeassistant/configuration.yaml');
    const [{ resource, sensor, binary_sensor } = {} as Rest] = rest;
    expect(files.get('/etc/homeassistant/configuration.yaml')).toContain(
      'Authorization: !secret signalbox_token\n',
    );
    const { status, body } = await get(resource, bearer);
    expect(status).toBe(200);
    const all = [...sensor, ...binary_sensor];
    expect(new Set(all.map((one) => one.unique_id)).size).toBe(3);
    for (const { value_template } of all) {
      const [, name = ''] = /^\{\{ value_json\.(\w+)(?: > 0)? \}\}$/.exec(value_template) ?? [];
      expect(body[name]).toBeNumber();
    }
  });

  test('the automation gets JSON, with all that it reads', async () => {
    const text = files.get('/etc/homeassistant/automations.yaml') ?? '';
    const [automation] = Bun.YAML.parse(text) as { triggers: Record<string, unknown>[] }[];
    const [trigger] = automation?.triggers ?? [];
    expect(trigger).toMatchObject({ trigger: 'webhook', local_only: true });
    const receiver = startReceiver('0123456789abcdef');
    try {
      const url = `${receiver.url}/hook`;
      const target = { url, secret: '0123456789abcdef' };
      const json = { name: 'HA', kind: 'webhook', target };
      const { body } = await owner.call('POST', '/channels', json);
      await owner.call('POST', `/channels/${body.id}/test`);
      const { method, headers, body: sent } = await receiver.awaited(() => true, 'a message');
      expect([method]).toEqual(trigger?.allowed_methods as string[]);
      expect(headers.get('content-type')).toContain('json');
      for (const [, name = ''] of text.matchAll(/trigger\.json\.(\w+)/g)) {
        expect(Object.keys(JSON.parse(sent))).toContain(name);
      }
    } finally {
      await receiver.stop();
    }
  });
});

test('Uptime Kuma: the hub is there, and something is wrong', async () => {
  const table = page.text.split('\n## Uptime Kuma\n')[1]?.split('\n## ')[0] ?? '';
  const rows = [...table.matchAll(/^\| ([^|]+) \|([^|]*)\|([^|]*)\|$/gm)].slice(1);
  const column = (at: 2 | 3): Record<string, string> =>
    Object.fromEntries(
      rows.map((row) => [row[1], (row[at] ?? '').trim().replace(/^`(.*)`$/, '$1')]),
    );
  const judge = async ({ URL: url, Headers, ...field }: Record<string, string>) => {
    const headers = JSON.parse((Headers || '{}').replace(/Bearer sbx_…/, bearer.Authorization));
    const { body } = await get(url ?? '', headers);
    const found = body[field['Json Query'] ?? ''];
    return [field['Monitor Type'], String(found) === field['Expected Value'], typeof found];
  };
  const type = 'HTTP(s) - Json Query';
  expect(await judge(column(2))).toEqual([type, true, 'string']);
  expect(await judge(column(3))).toEqual([type, false, 'number']);
});

test('Prometheus and Grafana: hub and agent export every metric that they read', async () => {
  const exported = await Promise.all(
    [owner.stack.hub.replace(/\/api$/, ''), owner.stack.agent].map(async (part) => [
      ...readExposition((await ask(`${part}/metrics`)).text).keys(),
    ]),
  );
  const shown = [
    files.get('/etc/prometheus/rules/signalbox.yml'),
    ...page.blocksUnder('Grafana', 'json'),
  ];
  const read = shown.join(' ').match(/\b(?:signalbox|process)_[a-z_]+/g) ?? [];
  expect(read.length).toBeGreaterThan(10);
  for (const name of read) expect(exported.flat()).toContain(name);
});
