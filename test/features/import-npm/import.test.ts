// proof: hub
/** Importing a database of Nginx Proxy Manager: what is refused, what comes along, and what it says. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import type { NpmAnswer } from '../../../src/features/import-npm/routes.ts';
import { selfSigned } from '../../harness/certificate.ts';
import { forFile } from '../../harness/for-file.ts';
import { EMPTIED, npmDatabase, npmForm } from '../../harness/npm-database.ts';
import { type Body, startOwner } from '../../harness/owner.ts';
import { ask } from '../../harness/stack.ts';

type Answer = NpmAnswer & Body;
type Bytes = Uint8Array<ArrayBuffer>;

const send = (form: FormData | string, query = '', headers = owner.headers) =>
  ask<Answer>(`${stack.hub}/import/npm${query}`, { method: 'POST', raw: form, headers });
const importing = (database: Bytes, query = '', fields = {}) =>
  send(npmForm(database, fields), query);
const read = async <T>(path: string) => (await owner.call<T>('GET', path)).body;
const state = () =>
  Promise.all(
    ['/vhosts', '/policies', '/certificates/kept', '/changelog'].map((path) => read(path)),
  );

/** Hosts without anything that takes time: passwords. */
const QUICK = npmDatabase('DELETE FROM access_list_auth;');
const QUIET = `DELETE FROM redirection_host; DELETE FROM dead_host; DELETE FROM stream;
  DELETE FROM access_list_auth WHERE username <> 'alice' OR access_list_id <> 1; UPDATE setting SET value = 'congratulations';`;
const only = (...ids: number[]) =>
  npmDatabase(`DELETE FROM proxy_host WHERE id NOT IN (${ids}); ${QUIET}`);
const sqlite = (...statements: string[]): Bytes => {
  const database = new Database(':memory:');
  for (const statement of statements) database.run(statement);
  return new Uint8Array(database.serialize());
};

const owner = await forFile(startOwner());
const stack = owner.stack;

/** An expression of SQLite whose value nobody sees. */
const ENDLESS = "instr(printf('%.*c', 40000000, 'a'), printf('%.*c', 20000000, 'a') || 'b') = 0";

describe('a file is refused, and nothing changes', () => {
  const whole = npmDatabase();
  const damaged = npmDatabase();
  damaged.fill(0xff, 8_192, 40_960);
  const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n';
  test.each<[string, Bytes, string]>([
    ['is empty', new Uint8Array(), 'The file is empty.'],
    ['is text', new TextEncoder().encode('-- MySQL dump'), 'This is not an SQLite database.'],
    ['is of something else', sqlite('CREATE TABLE host (id)'), 'not one of Nginx Proxy Manager'],
    ['ends early', whole.slice(0, 65_536), 'damaged'],
    ['ends in its header', whole.slice(0, 60), 'damaged'],
    ['is damaged', damaged, 'damaged'],
    [
      'has a view that never ends',
      sqlite(
        `CREATE VIEW proxy_host AS ${endless}`,
        'CREATE TABLE access_list (id)',
        'CREATE TABLE setting (id)',
      ),
      'not one of Nginx Proxy Manager',
    ],
    [
      'has a column that is computed',
      npmDatabase(`CREATE TABLE more (a, b AS (${ENDLESS}))`),
      'not one of Nginx Proxy Manager',
    ],
  ])('that %s', async (_, file, words) => {
    const before = await state();
    for (const query of ['', '?dryRun=true']) {
      const { status, body } = await importing(file, query);
      expect([status, body.code, body.field]).toEqual([400, 'INVALID_REQUEST', 'file']);
      expect(body.message).toContain(words);
    }
    expect(await state()).toEqual(before);
  });

  test('that is missing, or no form', async () => {
    for (const form of [new FormData(), '{"file":""}', '--x\r\n']) {
      expect((await send(form)).body).toMatchObject({ code: 'INVALID_REQUEST' });
    }
    const large = npmForm(new Uint8Array(64 * 1024 * 1024));
    expect((await send(large)).body.code).toBe('BODY_TOO_LARGE');
  });

  test('of which somebody wants a replay without a dry run', async () => {
    const before = await state();
    expect((await importing(npmDatabase(EMPTIED), '?replay=true')).status).toBe(400);
    expect(await state()).toEqual(before);
  });

  test('whose keys somebody wants who may not have them', async () => {
    const token = await owner.call<{ token: string }>('POST', '/tokens', { name: 't' });
    const headers = { Authorization: `Bearer ${token.body.token}` };
    const answer = await send(npmForm(QUICK), '?certificates=true', headers);
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
    expect(await read('/certificates/kept')).toEqual([]);
  });
});

test('a dry run says what would come along, and changes nothing', async () => {
  const before = await state();
  const { status, body, text } = await importing(npmDatabase(), '?dryRun=true');
  expect(status).toBe(200);
  expect(body.vhosts).toHaveLength(103);
  expect(body.vhosts.every(({ id }) => id === null)).toBe(true);
  for (const secret of ['PRIVATE KEY', 'Wonder-Land-1', '0123456789abcdef0123456789abcdef']) {
    expect(text).not.toContain(secret);
  }
  expect(await state()).toEqual(before);
});

describe('what comes along', () => {
  const about = ({ notes }: Answer, part: string) =>
    notes.filter(({ text }) => text.includes(part));
  const levels = (answer: Answer, domain: string) =>
    answer.notes.filter((note) => note.domain === domain).map(({ level }) => level);
  const dry = async (...ids: number[]) => (await importing(only(...ids), '?dryRun=true')).body;

  test.each([
    ['without a certificate', 1, 'http://app.example.com', 'reverse_proxy {upstream}'],
    [
      'with names of one site',
      3,
      'http://media.example.com',
      'http://media.example.com, http://zed.example.com {\n\treverse_proxy {upstream}\n}',
    ],
    ['with a name in Unicode', 5, 'http://xn--bcher-kva.example', 'reverse_proxy {upstream}'],
    [
      'with a name that begins with a dot',
      9,
      'http://dot.example',
      'http://dot.example, http://*.dot.example {\n\treverse_proxy {upstream}\n}',
    ],
    ['with a name twice', 76, 'http://twice.example.com', 'reverse_proxy {upstream}'],
    [
      'forced to HTTPS',
      29,
      'le.example.org',
      'le.example.org, www.le.example.org {\n\treverse_proxy {upstream}\n}',
    ],
    [
      'with and without HTTPS',
      23,
      'optional.secure.example',
      'optional.secure.example, http://optional.secure.example {\n\treverse_proxy {upstream}\n}',
    ],
    [
      'whose flags lie, without a certificate',
      26,
      'http://forcednocert.example.com',
      'reverse_proxy {upstream}',
    ],
    ['with a deleted certificate', 27, 'http://certgone.example.com', 'reverse_proxy {upstream}'],
    [
      'with a certificate that never was',
      28,
      'http://cert999.example.com',
      'reverse_proxy {upstream}',
    ],
  ])('a host %s', async (_, id, domain, config) => {
    const answer = await dry(id);
    expect(answer.vhosts).toMatchObject([{ domain, config }]);
    expect(levels(answer, domain)).not.toContain('error');
  });

  test.each([
    ['lost its list, which is deleted', 71, 'does not exist'],
    ['names a list that never was', 72, 'does not exist'],
    ['has an empty list', 65, 'is empty'],
    ['has a list of denials only', 66, 'allows no address'],
    ['nginx refused', 57, 'unknown directive "proxy_read_timout"'],
    ['forwards to an address with a path', 16, 'no address of a service'],
    ['has no name that Caddy knows', 8, 'none of its names'],
  ])('a host that %s is off, and a note says why', async (_, id, words) => {
    const answer = await dry(id);
    const [site] = answer.vhosts;
    const [note] = about(answer, words);
    expect(note).toMatchObject({ level: 'error', domain: site?.domain });
    expect(answer.proxyfile).not.toContain(`${site?.domain} {`);
  });

  test.each([
    ['is off in NPM', 73, 'off in NPM, too', 'info'],
    ['has a service at an IPv6 address without brackets', 14, 'without brackets', 'warning'],
    ['has a service at a URL', 83, 'a scheme in it', 'warning'],
    ['looks like HTTPS', 26, 'NPM shows HTTPS for it', 'warning'],
    ['has wildcards', 6, 'only for one label', 'warning'],
    ['has an uploaded certificate', 22, 'uploaded to NPM and stays there', 'warning'],
    [
      'has a certificate by DNS',
      30,
      'certificate by DNS for *.home.example, home.example',
      'warning',
    ],
    ['has HSTS', 24, 'without `preload`', 'info'],
    ['has HSTS for subdomains', 22, 'subdomains', 'warning'],
    ['blocks exploits', 2, 'Block Common Exploits', 'warning'],
    ['caches in spite of its list', 60, 'without asking the access list', 'warning'],
    ['forwards to a container', 3, 'name without a dot', 'warning'],
    ['believes X-Forwarded-Proto', 25, 'X-Forwarded-Proto', 'warning'],
  ])('it is said of a host that %s', async (_, id, words, level) => {
    const answer = await dry(id);
    expect(about(answer, words)).toMatchObject([{ level, domain: answer.vhosts[0]?.domain }]);
  });

  test('of two hosts with one name, the one that nginx serves has it', async () => {
    const twice = npmDatabase(
      `${EMPTIED.replace('DELETE FROM proxy_host;', '')} DELETE FROM proxy_host WHERE id NOT IN (1, 2, 10);
       UPDATE proxy_host SET domain_names = '["a.example"]', meta = '{}';
       UPDATE proxy_host SET enabled = 0 WHERE id = 1;`,
    );
    const { body } = await importing(twice, '?dryRun=true');
    expect(body.vhosts.map(({ domain, upstream }) => [domain, upstream])).toEqual([
      ['http://npm-proxy-1.invalid', '10.0.0.5:8080'],
      ['http://npm-proxy-2.invalid', '10.0.0.5:3000'],
      ['http://a.example', 'nas.lan:5000'],
      ['http://', ''],
    ]);
    expect(about(body, 'nginx serves that one')).toHaveLength(2);
  });

  test('of two hosts with one name, one over plain HTTP opens nothing that another redirects to HTTPS', async () => {
    const twice = npmDatabase(
      `${EMPTIED.replace('DELETE FROM proxy_host;', '')} DELETE FROM proxy_host WHERE id NOT IN (1, 10);
       UPDATE proxy_host SET domain_names = '["a.example"]', meta = '{}';
       UPDATE proxy_host SET certificate_id = 1, ssl_forced = 1 WHERE id = 1;`,
    );
    const { body } = await importing(twice, '?dryRun=true');
    expect(body.vhosts.map(({ domain, upstream }) => [domain, upstream])).toEqual([
      ['a.example', '10.0.0.5:8080'],
      ['http://npm-proxy-10.invalid', 'nas.lan:5000'],
      ['http://', ''],
    ]);
  });

  test.each([
    [
      'with a text like a placeholder of files',
      `advanced_config = 'return 200 "{file./etc/x}";'`,
      'reverse_proxy',
    ],
    ['with the word for its upstream', `forward_host = '{upstream}'`, '{ upstream}'],
  ])('a host %s keeps no other back', async (_, set, words) => {
    const odd = npmDatabase(
      `DELETE FROM access_list_auth; DELETE FROM proxy_host WHERE id NOT IN (1, 10); UPDATE proxy_host SET ${set} WHERE id = 1`,
    );
    const { status, body } = await importing(odd, '?dryRun=true');
    expect(status).toBe(200);
    expect(body.vhosts[0]?.config).toMatch(/^# /);
    expect(body.vhosts[0]?.config).toContain(words);
    expect(levels(body, 'http://app.example.com')).toContain('error');
    expect(levels(body, body.vhosts[1]?.domain ?? '')).not.toContain('error');
  });

  test('what concerns no site is said once', async () => {
    const { body } = await importing(QUICK, '?dryRun=true');
    for (const part of [
      '30022 (TCP) to 10.0.0.5:22',
      'Accounts stay behind',
      'no longer X-Real-IP',
    ]) {
      expect(about(body, part)).toMatchObject([{ domain: null }]);
    }
  });

  test('a site that has a list and nginx text of its own asks for both', async () => {
    const both = npmDatabase(
      `DELETE FROM proxy_host WHERE id <> 43; UPDATE proxy_host SET access_list_id = 2;`,
    );
    const { body } = await importing(both, '?dryRun=true');
    expect(about(body, 'has to pass both')).toMatchObject([{ level: 'warning' }]);
    expect(body.proxyfile).toContain('# policy lan-only\n');
    expect(body.proxyfile).toContain('# policy allowdeny-example-com\n');
  });

  test('a host that a variant of NPM says is offline is off', async () => {
    const offline = npmDatabase(
      `DELETE FROM proxy_host WHERE id <> 1;
       ALTER TABLE proxy_host ADD COLUMN npmplus_nginx_online int DEFAULT 0;
       ALTER TABLE proxy_host ADD COLUMN npmplus_nginx_err text DEFAULT 'nginx: [emerg] no such thing';`,
    );
    const { body } = await importing(offline, '?dryRun=true');
    expect(about(body, 'no such thing')).toMatchObject([{ level: 'error' }]);
    expect(about(body, 'more settings')).toEqual([]);
  });

  test('HSTS comes only with a redirect to HTTPS, and unused certificates stay behind', async () => {
    const rows = npmDatabase(
      `DELETE FROM proxy_host WHERE id <> 24; UPDATE proxy_host SET ssl_forced = 0;
       DELETE FROM redirection_host; DELETE FROM dead_host; DROP TABLE audit_log; CREATE TABLE audit_log (other);
       INSERT INTO certificate SELECT 77, created_on, modified_on, owner_user_id, 0, provider, 'Idle',
         domain_names, expires_on, meta FROM certificate WHERE id = 1;`,
    );
    const { body } = await importing(rows, '?dryRun=true');
    expect(body.proxyfile).not.toContain('Strict-Transport-Security');
    expect(about(body, '“Idle”')).toMatchObject([{ domain: null, level: 'info' }]);
  });

  test('settings of a variant of NPM are named, and its sign-in keeps a host off', async () => {
    const variant = npmDatabase(
      `DELETE FROM proxy_host WHERE id <> 1;
       ALTER TABLE proxy_host ADD COLUMN npmplus_auth_request varchar DEFAULT 'none';
       ALTER TABLE proxy_host ADD COLUMN npmplus_http3_support int DEFAULT 1;`,
    );
    const { body } = await importing(variant, '?dryRun=true');
    expect(about(body, 'npmplus_http3_support')).toMatchObject([{ level: 'warning' }]);
    expect(about(body, 'npmplus_auth_request')).toEqual([]);
    const guarded = new Uint8Array(variant);
    const database = Database.deserialize(guarded);
    database.run("UPDATE proxy_host SET npmplus_auth_request = 'authelia'");
    const off = await importing(new Uint8Array(database.serialize()), '?dryRun=true');
    expect(about(off.body, 'npmplus_auth_request')).toMatchObject([{ level: 'error' }]);
  });

  test.each([
    ['npmplus_access_list_type', 'public', 'custom'],
    ['npmplus_access_list_ids', '[]', '[2]'],
    ['npmplus_mtls_certificate_id', '0', '4'],
    ['npmplus_location_config', '', 'deny all;'],
  ])('a variant of NPM that protects with %s keeps a host off', async (name, open, guarded) => {
    const levelsWith = async (value: string, locations: object[] = []) => {
      const variant = npmDatabase(
        `DELETE FROM proxy_host WHERE id <> 1;
         UPDATE proxy_host SET locations = '${JSON.stringify(locations)}';
         ALTER TABLE proxy_host ADD COLUMN ${name} varchar DEFAULT '${value}'`,
      );
      const { body } = await importing(variant, '?dryRun=true');
      return about(body, name).map(({ level }) => level);
    };
    const place = { path: '/a', forward_scheme: 'http', forward_host: '10.0.0.6', forward_port: 1 };
    const asJson = (value: string) => (value.startsWith('[') ? JSON.parse(value) : value);
    expect(await levelsWith(open, [{ ...place, [name]: asJson(open) }])).toEqual([]);
    expect(await levelsWith(guarded)).toEqual(['error']);
    expect(await levelsWith(open, [{ ...place, [name]: asJson(guarded) }])).toEqual(['error']);
  });

  test('locations of a variant of NPM keep their modifier, and are left out if they are off', async () => {
    const place = { path: '/a', forward_scheme: 'http', forward_host: '10.0.0.6', forward_port: 1 };
    const locations = [
      { ...place, location_type: '=', npmplus_enabled: true, npmplus_access_list_type: 'global' },
      { ...place, path: '/b', npmplus_enabled: false },
    ];
    const variant = npmDatabase(
      `DELETE FROM proxy_host WHERE id <> 1; UPDATE proxy_host SET locations = '${JSON.stringify(locations)}'`,
    );
    const { body } = await importing(variant, '?dryRun=true');
    expect(body.vhosts[0]?.config).toContain('handle /a {');
    expect(body.vhosts[0]?.config).not.toContain('/b');
    expect(about(body, 'npmplus_')).toEqual([]);
  });

  test('a service that speaks neither HTTP nor HTTPS keeps a host off', async () => {
    const grpc = npmDatabase(
      `DELETE FROM proxy_host WHERE id <> 1; UPDATE proxy_host SET forward_scheme = 'grpc'`,
    );
    const { body } = await importing(grpc, '?dryRun=true');
    expect(levels(body, 'http://app.example.com')).toContain('error');
  });

  test('constraints of a database are not computed', async () => {
    const slow = npmDatabase(
      `PRAGMA ignore_check_constraints = ON;
       CREATE TABLE more (a, CHECK (${ENDLESS})); INSERT INTO more VALUES (1); ${EMPTIED}`,
    );
    expect((await importing(slow, '?dryRun=true')).status).toBe(200);
  });

  test.each([
    ['of an old version', npmDatabase('DELETE FROM access_list_auth', 'database-2.10.sqlite'), 103],
    ['of a new installation', npmDatabase(EMPTIED), 1],
  ])('a database %s', async (_, database, sites) => {
    const { status, body } = await importing(database, '?dryRun=true');
    expect([status, body.vhosts.length]).toEqual([200, sites]);
  });

  test('a database that was written with a log beside it', async () => {
    const file = npmDatabase(EMPTIED);
    file.fill(2, 18, 20);
    expect((await importing(file, '?dryRun=true')).status).toBe(200);
  });
});

describe('an import', () => {
  test('is live and one change, comes only once, and can be undone', async () => {
    const database = only(1, 22, 59, 61, 66);
    const { status, body } = await importing(database);
    expect(status).toBe(200);
    expect(stack.readProxyfile()).toContain('http://app.example.com {');
    const sites =
      await read<{ domain: string; enabled: boolean; tags: string[]; policies: string[] }[]>(
        '/vhosts',
      );
    const facts = sites.map(({ domain, enabled, tags, policies }) => [
      domain,
      enabled,
      tags,
      policies,
    ]);
    expect(facts).toEqual([
      ['http://app.example.com', true, ['npm'], []],
      ['http://denyonly.example.com', false, ['npm'], ['block-one-address-deny-only']],
      ['http://lan.example.com', true, ['npm'], ['lan-only']],
      ['http://users.example.com', true, ['npm'], ['family-users-only']],
      ['secure.example', true, ['npm'], ['https-only-with-subdomains']],
    ]);
    const [policy] = await read<{ values: object }[]>('/policies').then((all) =>
      all.filter(({ values }) => 'users' in values),
    );
    expect(policy?.values).toEqual({ users: [{ name: 'alice' }] });
    expect(stack.readProxyfile()).toMatch(/"alice" \$2b\$14\$/);
    const planned = await importing(database, '?dryRun=true');
    expect(planned.body.merge.sites.map(({ action }) => action)).toEqual(Array(5).fill('keep'));
    const again = await importing(database);
    expect(again.body.merge.sites.map(({ action }) => action)).toEqual(Array(5).fill('keep'));
    expect(again.body.vhosts.map(({ id }) => id)).toEqual(body.vhosts.map(({ id }) => id));
    const entries = await read<{ id: number; group: number }[]>('/changelog');
    expect(new Set(entries.map(({ group }) => group)).size).toBe(1);
    expect((await owner.call('POST', `/changelog/groups/${entries[0]?.group}/revert`)).status).toBe(
      200,
    );
    expect([await read('/vhosts'), await read('/policies')]).toEqual([[], []]);
  });

  test('is refused, skips or replaces where a site is taken', async () => {
    const mine = { domain: 'http://app.example.com', config: 'respond mine' };
    await owner.call('POST', '/vhosts', mine);
    const before = await state();
    const refused = await importing(only(1, 12));
    expect([refused.status, refused.body.code]).toEqual([409, 'DOMAIN_TAKEN']);
    expect(await state()).toEqual(before);
    const dry = await importing(only(1, 12), '?taken=skip&dryRun=true');
    // As for a Caddyfile: what the file has, also of sites that are skipped.
    expect(dry.body.vhosts.map(({ domain, config }) => [domain, config])).toEqual([
      ['http://app.example.com', 'reverse_proxy {upstream}'],
      ['http://ha.example.com', 'reverse_proxy {upstream}'],
    ]);
    const skipped = await importing(only(1, 12), '?taken=skip');
    expect(skipped.body.merge.sites.map(({ action }) => action)).toEqual(['skip', 'create']);
    const replaced = await importing(only(1), '', {
      replace: 'app.example.com http://APP.example.com',
    });
    expect(replaced.status).toBe(400);
    const named = await importing(only(1), '', { replace: 'http://app.example.com' });
    expect(named.body.merge.sites.map(({ action }) => action)).toEqual(['replace']);
  });

  test('takes uploaded certificates if an owner asks for them, and no answer has a key', async () => {
    const answer = await importing(only(22), '?certificates=true&taken=replace');
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('PRIVATE KEY');
    expect(await read('/certificates/kept')).toMatchObject([
      { name: 'test-wildcard-uploaded', names: ['secure.example', '*.secure.example'] },
    ]);
    await importing(only(22), '?certificates=true');
    expect(await read<unknown[]>('/certificates/kept')).toHaveLength(1);
    const second = await selfSigned(['second.example']);
    const database = Database.deserialize(only(22));
    const meta = JSON.stringify({ certificate: second.certificate, certificate_key: second.key });
    database.run(
      `INSERT INTO certificate SELECT 77, created_on, modified_on, owner_user_id, 0, provider, nice_name,
         domain_names, expires_on, ? FROM certificate WHERE id = 1`,
      [meta],
    );
    await importing(new Uint8Array(database.serialize()), '?certificates=true');
    expect(await read('/certificates/kept')).toMatchObject([
      { name: 'test-wildcard-uploaded' },
      { name: 'test-wildcard-uploaded-2', names: ['second.example', '127.0.0.1'] },
    ]);
  });

  test('keeps a site off that Caddy refuses, and takes the others', async () => {
    const twice = npmDatabase(
      `DELETE FROM proxy_host WHERE id NOT IN (1, 2, 11); ${QUIET}
       UPDATE proxy_host SET forward_port = 80, forward_scheme = 'https' WHERE id IN (2, 11);`,
    );
    for (const query of ['?dryRun=true&', '?']) {
      const { status, body } = await importing(twice, `${query}taken=replace`);
      expect(status).toBe(200);
      expect(body.notes.filter(({ level }) => level === 'error')).toMatchObject([
        { domain: 'http://api.shop.example', text: expect.stringContaining('conflicting scheme') },
        { domain: 'http://nas.example.com', text: expect.stringContaining('conflicting scheme') },
      ]);
      expect(body.vhosts[1]?.config).toMatch(/^http:.+, http:.+ \{\n(\t# .+\n)+\trespond 502\n\}$/);
    }
    expect(stack.readProxyfile()).toContain('http://app.example.com {');
  });
});
