/** A database of today with rows in every table, as a hub in use has it. */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as messages from '../../src/features/channels/tables.ts';
import { icons } from '../../src/features/icons/tables.ts';
import * as signIn from '../../src/features/sign-in/tables.ts';
import * as checks from '../../src/features/uptime/tables.ts';
import * as accounts from '../../src/hub/db/accounts-schema.ts';
import { openDatabase } from '../../src/hub/db/open.ts';
import * as tables from '../../src/hub/db/schema.ts';
import { hashOf } from '../../src/shared/bearer.ts';

/** Of Ada; never expires. */
export const SESSION = '7tJ6zwI25fWN4h2fb-YPnCZBodDkwZWd3AmzYQgDO6o';
/** Of Ada, with the scope `write`. */
export const API_TOKEN = 'sbx_ctZRAWYMYQKCLBKfKfktIPUBPFNWI6ZJ0XoIKi';

/** `a long passphrase` and `another passphrase`: to hash them anew takes longer than all the rest. */
const PEOPLE = [
  {
    id: 'd9fa0b04-9032-4d59-a294-36bb75708c76',
    name: 'Ada',
    email: 'ada@example.org',
    passwordHash:
      '$argon2id$v=19$m=19456,t=2,p=1$C71nbUuQXmehIb4mzNmK4w$kzPtPtilSJqgtB6zVgwBaUIooKzOOpVUcJALt3WOcdA',
  },
  {
    id: '54842103-0990-433c-b48f-df16f38afce4',
    name: 'Bob',
    email: 'bob@example.org',
    passwordHash:
      '$argon2id$v=19$m=19456,t=2,p=1$OeIoCYNt0dBwy+fv5q523Q$usi8kPfqqmY21Hgc87sk8Ri8pImsntYSVLpN7Qh/iqg',
  },
] as const;

/** Of `*.home.example`, until 2126. */
const CHAIN = `-----BEGIN CERTIFICATE-----
MIIBoTCCAUagAwIBAgIUVBjO/cQn92qw+nHLjyeQBmAaGlgwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMaG9tZS5leGFtcGxlMCAXDTI2MTEyMzExNDkxMFoYDzIxMjYx
MDMwMTE0OTEwWjAXMRUwEwYDVQQDDAxob21lLmV4YW1wbGUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAATffH7t/NsdLtM3ohpok5OYf2i/+H/Rv9upUjiUSxA8qD2C
HnfbSdAYVXPVzwWY1ZaDOxu2W3a4IuEunWI5G++yo24wbDAdBgNVHQ4EFgQUaf+i
CA2ymypuoHKypNq/XS9x6bkwHwYDVR0jBBgwFoAUaf+iCA2ymypuoHKypNq/XS9x
6bkwDwYDVR0TAQH/BAUwAwEB/zAZBgNVHREEEjAQgg4qLmhvbWUuZXhhbXBsZTAK
BggqhkjOPQQDAgNJADBGAiEAjfZgxoa35T+sV3lshSdQJOg8KAHPgp4HOn3ndTa4
b7QCIQCIYcXw2wDY24TJ/7Fg8VhbNbEEnCH6bCI9ubXITKjM6g==
-----END CERTIFICATE-----`;
/** With a key that is lost, as the one that the token of its agent derives from. */
const SEALED = Buffer.from(`01${'0c'.repeat(60)}`, 'hex');

const AT = new Date('2026-11-21T10:46:20.757Z');
const times = { createdAt: AT, updatedAt: AT };

const vhost = (id: number, name: string, config: string) => ({
  id,
  position: id,
  domain: `http://${name}.example`,
  config,
  upstream: '',
  enabled: true,
  policies: [],
  except: [],
  tags: [],
  agents: [],
  check: null,
  ...times,
});
const BODY = {
  ...vhost(1, 'body', 'respond "{upstream}"'),
  upstream: '127.0.0.1:8001',
  policies: [1],
  tags: ['media', 'home'],
  agents: [1, 2],
  except: [2],
  check: { path: '/', status: 200 },
};
const block = (answer: string) =>
  `http://block.example, http://www.block.example {\n\t# it's a "comment"; ünïcode\n\trespond ${answer}\n}`;
const PLAIN = vhost(2, 'block', block('block'));
const BLOCK = { ...PLAIN, config: block('"block, changed"') };
const ON = vhost(3, 'off', 'respond off');
const OFF = { ...ON, enabled: false, policies: [2, 1] };
const GONE = vhost(4, 'gone', 'respond gone');

/** Action, vhost before and vhost after of Ada's changes, oldest first. */
const CHANGES = [
  ['create', null, BODY],
  ['create', null, PLAIN],
  ['create', null, ON],
  ['toggle', ON, OFF],
  ['update', PLAIN, BLOCK],
  ['create', null, GONE],
  ['delete', GONE, null],
] as const;
const DOWN = 'Caddy is not running, or does not answer.';

/**
 * Creates the database in `dataDir`: the sites body.example, which answers with its upstream,
 * block.example and off.example, which is disabled, and the accounts of Ada and Bob.
 * @param ports of the proxy
 */
export function layDatabase(dataDir: string, ports: { http: number; https: number }): void {
  // Elsewhere, because drizzle keeps statements, and with them the file, until they are collected.
  const made = `${dataDir}.made`;
  const { db, close } = openDatabase(made);
  const [{ id: userId, name: userName }] = PEOPLE;
  const put = <T extends SQLiteTable>(table: T, ...rows: T['$inferInsert'][]) =>
    db.insert(table).values(rows).run();
  const globals = `{\n\thttp_port ${ports.http}\n\thttps_port ${ports.https}\n\tskip_install_trust\n}`;
  const snippet = '(snippet) {\n\theader X-Snippet yes\n}';
  put(accounts.users, ...PEOPLE.map((person) => ({ ...person, ...times })));
  put(accounts.sessions, {
    id: 'a652b428-29c1-4642-a5b2-094597cbacdc',
    userId,
    tokenHash: hashOf(SESSION),
    ipAddress: '127.0.0.1',
    userAgent: 'curl/8',
    ...times,
    expiresAt: new Date('2100-01-01T00:00:00.000Z'),
  });
  put(accounts.apiTokens, {
    id: 'e2d7b169-45b2-4940-ba28-496459f2c955',
    userId,
    name: 'scripts',
    scope: 'write',
    tokenHash: hashOf(API_TOKEN),
    createdAt: AT,
    lastUsedAt: AT,
  });
  put(signIn.twoFactors, {
    userId,
    secret: SEALED,
    codes: ['0d'.repeat(32)],
    // Nothing here has the key that would open it.
    verified: false,
    lastStep: 59_000_000,
    failures: 1,
    lockedUntil: AT,
  });
  put(signIn.passkeys, {
    id: 'c5ab3d0e',
    userId,
    name: 'Phone',
    credentialId: 'b3RoZXI',
    counter: 4,
    publicKey: Buffer.from('key'),
    deviceType: 'multiDevice',
    backedUp: true,
    transports: ['internal'],
    aaguid: '0'.repeat(32),
    createdAt: AT,
    lastUsedAt: AT,
  });
  put(signIn.linkedAccounts, {
    id: 'a8d3f0e1',
    userId,
    provider: 'oidc',
    issuer: 'https://id.example.org',
    subject: '4711',
    createdAt: AT,
  });
  put(signIn.challenges, {
    idHash: '0e'.repeat(32),
    kind: 'two_factor',
    userId,
    data: {},
    failures: 0,
    expiresAt: AT,
  });
  put(accounts.invitations, {
    id: 'f2b7c9d4',
    tokenHash: '0f'.repeat(32),
    role: 'editor',
    email: 'eve@example.org',
    invitedBy: userId,
    createdAt: AT,
    expiresAt: AT,
  });
  put(accounts.securityLog, {
    at: AT,
    kind: 'sign-in',
    actor: userId,
    actorName: 'Ada',
    via: 'scripts',
    target: 'ada@example.org',
    ip: '192.0.2.7',
    userAgent: 'curl/8',
    outcome: 'ok',
    detail: 'password',
  });
  // The ids of what was deleted are taken as well.
  put(tables.vhosts, BODY, BLOCK, OFF, GONE);
  db.delete(tables.vhosts).where(eq(tables.vhosts.id, GONE.id)).run();
  const users = [
    { name: 'ada', hash: '$2b$10$./I9py4tstZNDRcI9Eadt.vWHj48L7vRVZgZwL7CWbBID4pfOwNOK' },
  ];
  const secret = { users, exemptNetworks: ['127.0.0.1'] };
  const closed = { text: 'it\'s "closed"; ünïcode' };
  put(
    tables.policies,
    { id: 1, name: 'secret', recipe: 'basic-auth', everywhere: false, values: secret, ...times },
    { id: 2, name: 'closed', recipe: 'maintenance', everywhere: false, values: closed, ...times },
  );
  put(tables.certificates, { name: 'home', chain: CHAIN, key: SEALED, ...times });
  put(
    tables.changelog,
    ...CHANGES.map(([action, before, after], at) => ({
      userId,
      userName,
      action,
      domain: (after ?? before).domain,
      createdAt: AT,
      ...(action === 'update'
        ? { diff: changed({ config: before.config }, { config: after.config }), via: 'scripts' }
        : {}),
      before: before && JSON.stringify(before),
      after: after && JSON.stringify(after),
      behind: action === 'delete' ? ['vps'] : null,
      group: at < 3 ? 1 : at + 1,
      summary: at === 0 ? 'Created 3 sites' : null,
    })),
  );
  put(tables.answers, {
    key: '0a'.repeat(32),
    whose: userId,
    request: '0b'.repeat(32),
    status: 201,
    body: Buffer.from('{}'),
    createdAt: AT,
  });
  put(tables.agents, {
    name: 'vps',
    url: 'https://127.0.0.1:9',
    fingerprint: 'a3'.repeat(32),
    generation: 2,
    paused: true,
    preamble: globals,
    behindSince: AT,
    ...times,
  });
  db.update(tables.preamble)
    .set({ config: `${globals}\n\n${snippet}`, updatedAt: AT, attemptedAt: AT })
    .run();
  put(messages.channels, {
    name: 'Phone',
    kind: 'ntfy',
    enabled: true,
    events: ['proxy.down'],
    ...times,
    target: SEALED,
    quiet: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' },
  });
  const incident = { event: 'proxy.down', about: 'local', level: 'bad', message: DOWN } as const;
  put(tables.incidents, { ...incident, subject: 'agent 1', beganAt: AT, overAt: AT });
  put(tables.knownProblems, { problem: 'PROXY_DOWN agent 1', words: DOWN, by: userName, ...times });
  const message = { ...incident, channelId: 1, incidentId: 1, at: AT, dueAt: AT };
  put(
    messages.messages,
    { ...message, state: 'began', attempts: 1, sentAt: AT },
    { ...message, state: 'over', attempts: 2, error: 'HTTP 500' },
  );
  const hour = Math.floor(AT.getTime() / 3_600_000);
  const counts = { vhostId: BODY.id, asked: 60, failed: 2 };
  put(checks.uptime, { ...counts, hour: hour - 1, p50: 12, p95: 40 });
  put(checks.openHours, { ...counts, hour, times: [12, 13] });
  put(checks.failingChecks, {
    vhostId: BODY.id,
    agentId: 1,
    since: AT,
    reason: 'GET / answered 502',
  });
  const image = Buffer.from('89504e470d0a1a0a', 'hex');
  put(icons, { vhostId: BODY.id, askedAt: AT, upstream: '', version: 'v', image });
  close();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  copyFileSync(join(made, 'signalbox.db'), join(dataDir, 'signalbox.db'));
  rmSync(made, { recursive: true });
}

const changed = (old: object, now: object) => JSON.stringify({ old, new: now });
