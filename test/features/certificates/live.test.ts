/** Certificates that the hub keeps, on their way to a real Caddy: served, replaced, repaired, and no advice against them. */
import { expect, test } from 'bun:test';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { makeChain, makeIssuer } from '../../harness/certificate.ts';
import { forFile } from '../../harness/for-file.ts';
import { presented } from '../../harness/lone-agent.ts';
import { startOwner } from '../../harness/owner.ts';
import { ask, until } from '../../harness/stack.ts';

type Entry = { name: string; issuer: string | null; authority: string | null; advice: unknown };
type Draft = { names: { name: string; authority: string | null; advice: unknown }[] };

const SITE = 'nas.lan.example.org';

const serial = () => presented(owner.stack.httpsPort, SITE);
const kept = () => `${owner.stack.proxyfile}.certificates`;
const draft = (domain: string, config: string) =>
  owner.call<Draft>('POST', '/certificates/advice', { domain, config });
const published = () =>
  until(async () => {
    const { body } = await owner.call<{ inStep: boolean }>('GET', '/status');
    return body.inStep;
  }, 'the hub to publish by itself');

const owner = await forFile(startOwner());
const issuer = await makeIssuer();
const chainOf = (days: number) =>
  makeChain({ names: ['*.lan.example.org', 'lan.example.org'], days, issuer });
const [first, second] = await Promise.all([chainOf(60), chainOf(90)]);
const made = await owner.call('POST', '/vhosts', { domain: SITE, config: 'respond hi' });
expect(made.status).toBe(201);

test('a wildcard is served on the sites below it, and nothing speaks against them any more', async () => {
  const advised = await draft('*.lan.example.org', 'respond hi');
  expect(advised.body.names).toMatchObject([{ authority: 'public', advice: { code: 'WILDCARD' } }]);
  const { chain, key } = first;
  const put = await owner.call('POST', '/certificates/kept', { name: 'lan', chain, key });
  expect([put.status, put.text]).toEqual([201, expect.any(String)]);
  await until(async () => (await serial()) === first.serial, 'the certificate');
  expect(statSync(kept()).mode & 0o777).toBe(0o600);
  expect(owner.stack.readProxyfile()).not.toContain('PRIVATE');

  const { body: entries } = await owner.call<Entry[]>('GET', '/certificates');
  expect(entries).toMatchObject([
    { name: SITE, issuer: 'Test authority', authority: null, advice: null },
  ]);
  for (const name of ['*.lan.example.org', 'tv.lan.example.org', 'lan.example.org']) {
    expect((await draft(name, 'respond hi')).body.names).toMatchObject([
      { name, authority: null, advice: null },
    ]);
  }
  // These get their own.
  for (const [name, config, authority] of [
    ['tv.lan.example.org', 'tls internal\nrespond hi', 'internal'],
    ['a.b.lan.example.org', 'respond hi', 'public'],
    ['*.other.example.org', 'respond hi', 'public'],
  ] as const) {
    expect((await draft(name, config)).body.names).toMatchObject([{ name, authority }]);
  }
});

test('the state of a site says that the hub keeps it, and that Caddy does not renew it', async () => {
  const { agent, agentHeaders: headers } = owner.stack;
  const answer = await ask<{ sites: object[] }>(`${agent}/proxy/certificates`, { headers });
  expect(answer.body.sites).toMatchObject([
    { name: SITE, kept: true, automated: false, authority: null },
  ]);
});

test.each<[string, () => void]>([
  ['lost', () => rmSync(kept())],
  ['damaged', () => writeFileSync(kept(), '[')],
])('if the agent’s file is %s, the hub publishes again by itself', async (_, damage) => {
  damage();
  await until(() => {
    try {
      return readFileSync(kept(), 'utf8').includes('PRIVATE');
    } catch {
      return false;
    }
  }, 'the file');
  await published();
  expect(await serial()).toBe(first.serial);
  await owner.stack.restart(damage);
  await until(async () => (await serial()) === first.serial, 'the certificate after a start');
  await published();
});

test('a replaced one is served at once, and its undo as well', async () => {
  const { chain, key } = second;
  const put = await owner.call('PUT', '/certificates/kept/lan', { chain, key });
  expect([put.status, put.text]).toEqual([200, expect.any(String)]);
  expect(await serial()).toBe(second.serial);
  const [only, ...others] = JSON.parse(readFileSync(kept(), 'utf8')) as { key: string }[];
  expect([only?.key.trim(), others]).toEqual([key.trim(), []]);

  const { body: entries } = await owner.call<{ id: number }[]>('GET', '/changelog');
  const undone = await owner.call('POST', `/changelog/${entries[0]?.id}/revert`);
  expect([undone.status, undone.text]).toEqual([200, expect.any(String)]);
  expect(await serial()).toBe(first.serial);
  expect(readFileSync(kept(), 'utf8')).not.toContain(key.split('\n')[1] ?? key);
});
