/** Importing a Caddyfile: what is refused, what else it may name, and how much at once. */
import { describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forFile } from '../../harness/for-file.ts';
import { some } from '../../harness/full.ts';
import { startOwner } from '../../harness/owner.ts';
import { freePort, temporaryFolder } from '../../harness/stack.ts';

type Imported = { vhosts: { domain: string; config: string }[]; code?: string; detail?: string };
const MANY = some(300, 2_000);

const post = (proxyfile: string, more: object = {}) =>
  owner.call<Imported>('POST', '/import', { proxyfile, ...more });
const text = async (path: string) => (await owner.call('GET', path)).text;

const owner = await forFile(startOwner());
const stack = owner.stack;

describe('an import that is refused', () => {
  test.each([
    ['the proxy does not accept it', 'http://a.example {\n\trespnd x\n}\n', 502, 'PROXY_REJECTED'],
    ['it imports files', 'http://a.example {\n\timport /etc/hostname\n}\n', 502, 'PROXY_REJECTED'],
    [
      'it has a site twice, which Caddy does not notice',
      'http://a.example {\n}\nhttp://A.example {\n}\n',
      409,
      'DOMAIN_TAKEN',
    ],
  ])('because %s changes nothing', async (_, file, status, code) => {
    const before = await Promise.all([text('/vhosts'), text('/changelog'), text('/preamble')]);
    for (const dryRun of [true, false]) {
      const refused = await post(file, { dryRun });
      expect([refused.status, refused.body.code]).toEqual([status, code]);
      expect(refused.text).not.toContain(readFileSync('/etc/hostname', 'utf8').trim());
    }
    expect(await Promise.all([text('/vhosts'), text('/changelog'), text('/preamble')])).toEqual(
      before,
    );
  });

  test('because it needs a port that is in use changes nothing', async () => {
    const other = Bun.listen({ hostname: '0.0.0.0', port: 0, socket: { data() {} } });
    const before = await text('/vhosts');
    for (const dryRun of [true, false]) {
      const refused = await post(`http://a.example:${other.port} {\n}\n`, { dryRun });
      expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
      expect(refused.body.detail).toContain('address already in use');
    }
    other.stop(true);
    expect(await text('/vhosts')).toBe(before);
  });

  test('because it needs a port for HTTP/3 that is in use changes nothing', async () => {
    // One that no other test has for TCP.
    const other = await Bun.udpSocket({ hostname: '0.0.0.0', port: freePort() });
    const before = await text('/vhosts');
    const site = (domain: string) => `https://${domain} {\n\ttls internal\n\trespond a\n}\n`;
    for (const dryRun of [true, false]) {
      const refused = await post(site(`a.localhost:${other.port}`), { dryRun });
      expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
      expect(refused.body.detail).toContain('address already in use');
    }
    expect(await text('/vhosts')).toBe(before);
    for (const file of [
      `http://a.localhost:${other.port} {\n\trespond a\n}\n`,
      `{\n\tservers {\n\t\tprotocols h1 h2\n\t}\n}\n${site(`a.localhost:${other.port}`)}`,
    ]) {
      expect((await post(file, { dryRun: true })).status).toBe(200);
    }
    other.close();
  });

  test('because the body is malformed is 400', async () => {
    for (const json of [{}, { proxyfile: 7 }, { proxyfile: '', dryRun: 'yes' }]) {
      expect((await owner.call('POST', '/import', json)).status).toBe(400);
    }
  });
});

test('a file that names no port is accepted even if port 80 is in use', async () => {
  // If this fails, port 80 is in use already, or may not be bound.
  const other = (() => {
    try {
      return Bun.listen({ hostname: '0.0.0.0', port: 80, exclusive: true, socket: { data() {} } });
    } catch {
      return null;
    }
  })();
  const answer = await post('http://solo.example {\n\trespond solo\n}\n', { dryRun: true });
  other?.stop(true);
  expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
});

test('files that a file imports are included if IMPORT_DIRS allows them, and refused otherwise', async () => {
  const folder = temporaryFolder();
  const dir = join(folder, 'sites');
  mkdirSync(join(dir, 'more'), { recursive: true });
  writeFileSync(
    join(dir, 'b.caddy'),
    '# b\nhttp://b.example {\n\timport more/head\n\trespond b\n}\n',
  );
  writeFileSync(join(dir, 'a.caddy'), 'http://a.example {\n\trespond a\n}\n');
  writeFileSync(join(dir, 'more/head'), '# shared\nheader X y\n');
  writeFileSync(join(folder, 'secret'), 'respond hush\n');
  const other = await startOwner({ IMPORT_DIRS: dir }, folder);
  const importing = (target: string) =>
    other.call<Imported>('POST', '/import', {
      proxyfile: `(s) {\n\trespond s\n}\nimport ${target}\nhttp://c.example {\n\trespond c\n}\n`,
    });
  const far = await importing(join(folder, 'secret'));
  expect([far.status, far.body.code]).toEqual([502, 'PROXY_REJECTED']);
  expect(far.text).not.toContain('hush');
  const answer = await importing(join(dir, '*.caddy'));
  expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
  expect(answer.body.vhosts.map(({ domain }) => domain)).toEqual([
    'http://a.example',
    'http://b.example',
    'http://c.example',
  ]);
  expect(answer.body.vhosts[1]?.config).toBe(
    '# b\nhttp://b.example {\n\t# shared\nheader X y\n\trespond b\n}',
  );
  expect((await other.stack.served('b.example')).headers.get('x')).toBe('y');
  await other.stack.stop();
});

test('an import that is sent again gets the first answer, and changes nothing', async () => {
  const proxyfile = 'http://again.example {\n\trespond again\n}\n';
  const send = () =>
    owner.call('POST', '/import', { proxyfile, preamble: 'keep' }, { 'Idempotency-Key': 'retry' });
  const first = await send();
  expect(first.status).toBe(200);
  await owner.create('between');
  const before = await owner.everything();
  const again = await send();
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  expect(await owner.everything()).toEqual(before);
});

test('a replay is refused unless the import is a dry run', async () => {
  const before = await owner.everything();
  const proxyfile = 'http://new.example {\n\trespond new\n}\n';
  const { status, body } = await owner.call('POST', '/import?replay=true', { proxyfile });
  expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
  expect(await owner.everything()).toEqual(before);
});

test('an import of hundreds of sites is one publish', async () => {
  const sites = Array.from(
    { length: MANY },
    (_, at) => `http://mass-${at}.example {\n\trespond site-${at}\n}\n`,
  );
  // An earlier site needs the snippet as it is.
  const earlier = '(s) {\n\trespond x\n}\nhttp://earlier.example {\n\timport s\n}\n';
  expect((await post(earlier)).status).toBe(200);
  const snippet = '(s) {\n\trespnd x\n}\n';
  const refused = await post(snippet + sites.join('\n'), { preamble: 'file' });
  expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);

  const json = { version: 1, preamble: '{\n\thttp_port 1\n}', vhosts: [] };
  const wiped = await owner.call('POST', '/restore?replace=true', json);
  expect(wiped.status).toBe(200);
  const options = `{\n\thttp_port ${stack.httpPort}\n}\n`;
  const answer = await post(options + sites.join('\n'));
  expect([answer.status, answer.body.vhosts.length]).toEqual([200, MANY]);
  const last = MANY - 1;
  expect((await stack.served(`mass-${last}.example`)).text).toBe(`site-${last}`);
});
