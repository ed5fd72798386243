// proof: features
/** What the answer to a change says of a site that visitors would not see, at once. */
import { describe, expect, test } from 'bun:test';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../../harness/certificate.ts';
import { forFile, serverForFile } from '../../harness/for-file.ts';
import { npmDatabase, npmForm } from '../../harness/npm-database.ts';
import { startOwner } from '../../harness/owner.ts';
import { ask, freePort } from '../../harness/stack.ts';

type Warning = {
  code: string;
  message: string;
  cure?: { words: string; operation: { op: string; upstream?: string } | null };
};
type Answer = { id: number; warnings?: Warning[] };

const owner = await forFile(startOwner());
const { key, certificate: cert } = await selfSigned(['localhost']);
const secure = await forFile(createServer({ key, cert }, (_, answer) => answer.end('hi')));
await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
const SECURE = `127.0.0.1:${(secure.address() as AddressInfo).port}`;
let asked = 0;
const healthy = serverForFile(({ url }) => {
  asked++;
  return new URL(url).pathname === '/' ? Response.redirect('/login', 302) : new Response('hi');
});
const HEALTHY = `127.0.0.1:${healthy.port}`;
const DEAD = `127.0.0.1:${freePort()}`;
const site = (name: string, upstream: string, more: object = {}) => ({
  domain: `http://${name}.localhost`,
  config: 'reverse_proxy {upstream}',
  upstream,
  ...more,
});
const create = async (...args: Parameters<typeof site>) =>
  (await owner.call<Answer>('POST', '/vhosts', site(...args))).body;
const codes = ({ warnings = [] }: Answer) => warnings.map(({ code }) => code);

test('a site in order has none, and its service gets one request', async () => {
  asked = 0;
  expect(codes(await create('healthy', HEALTHY))).toEqual([]);
  expect(asked).toBe(1);
});

test('a service that wants HTTPS is named, with the change that does it', async () => {
  const created = await create('secure', SECURE);
  expect(codes(created)).toEqual(['SPEAKS_TLS']);
  const [{ cure } = {}] = created.warnings ?? [];
  expect(cure?.operation).toMatchObject({ op: 'update', upstream: `https://${SECURE}` });
  const { status, body } = await owner.call<{ results: Answer[] }>('POST', '/vhosts/bulk', {
    operations: [cure?.operation],
  });
  expect([status, body.results.map(codes)]).toEqual([200, [[]]]);
  expect((await owner.stack.served('secure.localhost')).text).toBe('hi');
});

test('an upstream that refuses is named once, also after a change', async () => {
  expect(codes(await create('dead', DEAD))).toEqual(['UPSTREAM_REFUSED']);
  const { id } = await create('later', HEALTHY);
  const { body } = await owner.call<Answer>('PUT', `/vhosts/${id}`, { upstream: DEAD });
  expect(codes(body)).toEqual(['UPSTREAM_REFUSED']);
});

test('what a policy or the config is for is no fault', async () => {
  const config = '@out not remote_ip 10.9.8.0/24\nrespond @out 403\nreverse_proxy {upstream}';
  expect(codes(await create('vpn', HEALTHY, { config }))).toEqual([]);
});

test('a site that is off is not looked at', async () => {
  expect(codes(await create('off', DEAD, { enabled: false }))).toEqual([]);
});

describe('several sites in one publish', () => {
  const cure = { words: expect.stringContaining('Start the service'), operation: null };
  const refused = (domain: string) => ({
    code: 'UPSTREAM_REFUSED',
    message: expect.stringMatching(new RegExp(`^${domain}: Nothing listens at ${DEAD}`)),
    cure,
  });
  const apply = async (sites: object, more: object = {}) =>
    (await owner.call<Answer>('POST', '/apply', { source: 'home', sites, ...more })).body;
  const importing = async (text: string, more: object = {}) =>
    (await owner.call<Answer>('POST', '/import', { proxyfile: text, ...more })).body;
  const block = (name: string, upstream: string) =>
    `http://${name}.localhost {\n\treverse_proxy ${upstream}\n}\n`;

  test('of a document: those that it creates or changes, and no other', async () => {
    const sites = {
      'http://applied.localhost': { upstream: DEAD },
      'http://fine.localhost': { upstream: HEALTHY },
      'http://not-on.localhost': { upstream: DEAD, enabled: false },
    };
    expect((await apply(sites, { dryRun: true })).warnings).toBeUndefined();
    expect((await apply(sites)).warnings).toEqual([refused('http://applied.localhost')]);
    expect((await apply(sites)).warnings).toBeUndefined();
    const changed = { ...sites, 'http://fine.localhost': { upstream: DEAD } };
    expect((await apply(changed)).warnings).toEqual([refused('http://fine.localhost')]);
  });

  test('of a Caddyfile: what it doubts anyway is said once', async () => {
    const loop = 'http://again.localhost {\n\tredir http://{host}{uri}\n}\n';
    const text = `${block('imported', DEAD)}${block('good', HEALTHY)}${loop}`;
    const dry = await importing(text, { dryRun: true });
    expect(codes(dry)).toEqual(['REDIRECTS_TO_ITSELF']);
    const { warnings } = await importing(text);
    expect(warnings).toEqual([...(dry.warnings ?? []), refused('http://imported.localhost')]);
    expect((await importing(text)).warnings).toEqual(dry.warnings);
  });

  test('of a database of Nginx Proxy Manager', async () => {
    const [host, port] = DEAD.split(':');
    const database = npmDatabase(`DELETE FROM proxy_host WHERE id <> 1;
      DELETE FROM redirection_host; DELETE FROM dead_host; DELETE FROM stream; DELETE FROM access_list_auth;
      UPDATE proxy_host SET forward_scheme = 'http', forward_host = '${host}', forward_port = ${port}, access_list_id = 0;
      UPDATE setting SET value = 'congratulations';`);
    const { body } = await ask<Answer>(`${owner.stack.hub}/import/npm`, {
      method: 'POST',
      raw: npmForm(database, {}),
      headers: owner.headers,
    });
    const found = body.warnings?.filter(({ code }) => code === 'UPSTREAM_REFUSED');
    expect(found).toEqual([{ ...refused('\\S+'), message: expect.stringContaining(DEAD) }]);
  });
});

test('an upstream that says nothing keeps nobody waiting until that is certain', async () => {
  const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  expect(codes(await create('silent', `127.0.0.1:${silent.port}`))).toEqual([]);
  silent.stop(true);
});
