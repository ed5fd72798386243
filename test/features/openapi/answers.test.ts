// proof: acme

import { Database } from 'bun:sqlite';
/** Calls every operation of the OpenAPI document and checks the real responses against it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TOTP, URI } from 'otpauth';
import manifest from '../../../package.json';
import { buildDocument } from '../../../src/features/openapi/document.ts';
import { readSettings } from '../../../src/program/config.ts';
import { serveHub } from '../../../src/program/serve/serve.ts';
import { formatInvitation } from '../../../src/shared/invitation.ts';
import { type Acme, HAS_ACME, startAcme } from '../../harness/acme.ts';
import { createAuthenticator } from '../../harness/authenticator.ts';
import { selfSigned } from '../../harness/certificate.ts';
import { inDatabase } from '../../harness/database.ts';
import { startEnrollable } from '../../harness/enrolled.ts';
import { holdPort80 } from '../../harness/listeners.ts';
import { EMPTIED, npmDatabase, npmForm } from '../../harness/npm-database.ts';
import { createChecker, type Document, operationsOf } from '../../harness/openapi.ts';
import { createClient, type Input } from '../../harness/openapi-client.ts';
import { type ProgramAgent, refusal, startProgramAgent } from '../../harness/program-agent.ts';
import { registered } from '../../harness/routes.ts';
import { type SignInService, startSignInService } from '../../harness/sign-in-service.ts';
import {
  machine,
  type Stack,
  signUp,
  startStack,
  temporaryFolder,
  until,
} from '../../harness/stack.ts';
import { words } from '../../harness/words.ts';

const folder = temporaryFolder();
const made = buildDocument(registered(folder), manifest.version);
const document = made as unknown as Document;
const operations = operationsOf(document);
const ids = operations.map(({ operation }) => operation.operationId);

const codes = new Set<string>();
const succeeded = new Set<string>();
const onAnswer = (id: string, status: number, code: string | undefined) => {
  if (status < 400) succeeded.add(id);
  else if (code) codes.add(code);
};

const PASSWORD = 'a long passphrase';
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
type Made = { token: string; id: string; user: { id: string } };

let stack: Stack;
let acme: Acme | undefined;
let service: SignInService;
let owner: Record<string, string>;
let ownerToken: string;
const origin = () => stack.hub.replace(/\/api$/, '');
const client = createClient(document, origin, onAnswer);
const { call } = client;
const signedIn = <T = { code?: string }>(id: string, input: Input = {}) =>
  call<T>(id, { ...input, headers: { ...owner, ...input.headers } });

/** Expects an error, as the document describes it. */
async function refused(id: string, code: string, input: Input = {}) {
  expect([id, (await signedIn(id, input)).body.code]).toEqual([id, code]);
}

beforeAll(async () => {
  service = await startSignInService('http://localhost:1');
  if (HAS_ACME) acme = await startAcme();
  const authority = acme && { ACME_DIRECTORY: acme.directory, ACME_ROOTS_FILE: acme.roots };
  stack = await startStack({ ...service.settings, ...authority });
});
afterAll(async () => {
  await stack.stop();
  await acme?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the checker itself detects', () => {
  const checker = createChecker(document);
  const placed = operations.find(({ operation }) => operation.operationId === 'getHealth');
  const given = (status: number, body: unknown, type = 'application/json') => {
    if (!placed) throw new Error('no such operation');
    const headers = new Headers({ 'Content-Type': type });
    return checker.answer(placed, { status, headers, text: JSON.stringify(body) });
  };

  test('an unexpected status, media type, value, field or code', () => {
    expect(given(200, { status: 'ok' })).toEqual([]);
    expect(given(201, { status: 'ok' })).not.toEqual([]);
    expect(given(200, { status: 'ok' }, 'text/plain')).not.toEqual([]);
    expect(given(200, { status: 'bad' })).not.toEqual([]);
    expect(given(200, { status: 'ok', more: 1 })).not.toEqual([]);
    expect(given(500, { code: 'INTERNAL', message: '' })).toEqual([]);
    expect(given(500, { code: 'NOT_FOUND', message: '' })).not.toEqual([]);
    expect(given(500, { code: 'INTERNAL', message: '', stack: '' })).not.toEqual([]);
  });
});

describe('before there is an account', () => {
  const ada = { name: 'Ada', email: 'ada@example.org', password: PASSWORD };
  test.each([
    ['INVALID_JSON', { raw: '{' }],
    ['VALIDATION_ERROR', { json: {} }],
    ['VALIDATION_ERROR', { json: { ...ada, email: 'nobody' } }],
    ['PASSWORD_TOO_SHORT', { json: { ...ada, password: 'short' } }],
    ['PASSWORD_TOO_LONG', { json: { ...ada, password: 'x'.repeat(129) } }],
    ['PASSWORD_TOO_COMMON', { json: { ...ada, password: 'password' } }],
    ['BODY_TOO_LARGE', { raw: 'x'.repeat(1024 * 1024 + 1) }],
    ['SETUP_CODE_REQUIRED', { json: ada, headers: { 'X-Forwarded-For': '192.0.2.1' } }],
  ])('a sign-up is refused with %s', async (code, input: Input) => {
    expect((await call('signUpEmail', input)).body.code).toBe(code);
  });

  test('nobody is signed in', async () => {
    expect((await call<null>('getSession')).body).toBeNull();
  });

  test('then the owner is signed in', async () => {
    const { body, headers } = await call<Made>('signUpEmail', { json: ada });
    expect(headers.has('set-cookie')).toBe(true);
    ownerToken = body.token;
    owner = bearer(ownerToken);
    await call('getSession', { headers: owner });
    expect((await call('signUpEmail', { json: ada })).body.code).toBe('SIGN_UP_CLOSED');
    await refused('signUpEmail', 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL', { json: ada });
  });
});

describe('requests that are not allowed', () => {
  const guarded = operations.filter(
    ({ operation: { security } }) =>
      security.length > 0 && security.every((way) => Object.keys(way).length > 0),
  );
  const cookie = () => ({ Cookie: `signalbox_session=${ownerToken}` });
  let reader: string;
  beforeAll(async () => {
    reader = (await signedIn<Made>('createToken', { json: { name: 'reader' } })).body.token;
  });

  test.each(guarded.map((one) => [one.operation.operationId, one] as const))(
    '%s: a stranger, a token without the right scope, another page',
    async (id, { method, operation }) => {
      const raw = operation.requestBody ? { raw: '{' } : {};
      expect((await call(id, raw)).body.code).toBe('UNAUTHENTICATED');
      const mayToken = operation.security.find((one) => 'apiToken' in one)?.apiToken;
      if (!mayToken || mayToken.includes('write')) {
        const answer = await call(id, { ...raw, headers: bearer(reader) });
        expect(answer.body.code).toBe('FORBIDDEN');
      }
      if (method !== 'get') {
        const headers = { ...cookie(), Origin: 'https://evil.example' };
        expect((await call(id, { ...raw, headers })).body.code).toBe('FORBIDDEN_ORIGIN');
      }
      const isForm = id === 'importNpm';
      if (operation.requestBody)
        await refused(id, isForm ? 'INVALID_REQUEST' : 'INVALID_JSON', raw);
    },
  );
});

describe('accounts', () => {
  const bob = { name: 'Bob', email: 'bob@example.org', password: PASSWORD };

  test('sign-in', async () => {
    const json = { email: bob.email, password: 'wrong' };
    expect((await call('signInEmail', { json: {} })).body.code).toBe('VALIDATION_ERROR');
    const odd = await call('signInEmail', { json: { ...json, email: 'nobody' } });
    expect(odd.body.code).toBe('INVALID_EMAIL');
    for (let failure = 0; failure < 10; failure++) {
      expect((await call('signInEmail', { json })).body.code).toBe('INVALID_EMAIL_OR_PASSWORD');
    }
    expect((await call('signInEmail', { json })).body.code).toBe('RATE_LIMITED');
    const ada = { email: 'ada@example.org', password: PASSWORD };
    const { body } = await call<Made>('signInEmail', { json: ada });
    await call('signOut', { headers: bearer(body.token) });
  });

  test('accounts of other users', async () => {
    await refused('createUser', 'PASSWORD_TOO_SHORT', { json: { ...bob, password: 'short' } });
    const { body } = await signedIn<Made>('createUser', { json: bob });
    await refused('createUser', 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL', { json: bob });
    const cyd = { ...bob, email: 'cyd@example.org' };
    await signedIn<Made>('createUser', { json: cyd });
    const viewer = await call<Made>('signInEmail', { json: cyd });
    const asViewer = await call('listUsers', { headers: bearer(viewer.body.token) });
    expect(asViewer).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN_ROLE', needs: 'owner' },
    });
    await signedIn('listUsers');
    await signedIn('setRole', { json: { userId: body.id, role: 'editor' } });
    const [owner] = (await signedIn<Made[]>('listUsers')).body;
    await refused('setRole', 'LAST_OWNER', { json: { userId: owner?.id, role: 'viewer' } });
    await signedIn('deleteUser', { params: { id: body.id } });
    await refused('deleteUser', 'NOT_FOUND', { params: { id: body.id } });
    const [last, other] = (await signedIn<Made[]>('listUsers')).body;
    await signedIn('deleteUser', { params: { id: other?.id ?? '' } });
    await refused('deleteUser', 'LAST_USER', { params: { id: last?.id ?? '' } });
  });

  test('invitations', async () => {
    const json = { role: 'viewer', email: 'dan@example.org' };
    await refused('createInvitation', 'INVALID_REQUEST', { json: {} });
    await refused('createInvitation', 'INVALID_EMAIL', { json: { ...json, email: 'nobody' } });
    const taken = { ...json, email: 'ada@example.org' };
    await refused('createInvitation', 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL', { json: taken });
    const { body } = await signedIn<Made & { url: string }>('createInvitation', { json });
    await signedIn('listInvitations');
    const invitation = body.url.split('=')[1];
    const eve = await call('signUpEmail', { json: { ...bob, invitation } });
    expect([eve.body.code]).toEqual(['INVITATION_INVALID']);
    await signedIn('deleteInvitation', { params: { id: body.id } });
    await refused('deleteInvitation', 'NOT_FOUND', { params: { id: body.id } });
  });

  test('the sign-in service', async () => {
    const json = { provider: 'oidc', callbackURL: '/' };
    await call('signInSocial', { json });
    await refused('signInSocial', 'VALIDATION_ERROR', { json: { ...json, callbackURL: '//x' } });
    await refused('linkSocial', 'PROVIDER_NOT_FOUND', { json: { ...json, provider: 'x' } });
    await signedIn('linkSocial', { json });
    await signedIn('listAccounts');
    const [owner] = (await signedIn<Made[]>('listUsers')).body;
    const db = new Database(join(stack.dataDir, 'signalbox.db'));
    db.run("INSERT INTO linked_accounts VALUES ('one', ?, 'oidc', 'https://a', '1', 0)", [
      owner?.id ?? '',
    ]);
    const unlink = { json: { accountId: 'one' } };
    const hashes = db.query<{ id: string; hash: string }, []>(
      'SELECT id, password_hash AS hash FROM users',
    );
    const before = hashes.all();
    db.run("UPDATE users SET password_hash = ''");
    await refused('unlinkAccount', 'FAILED_TO_UNLINK_LAST_ACCOUNT', unlink);
    for (const { id, hash } of before) {
      db.run('UPDATE users SET password_hash = ? WHERE id = ?', [hash, id]);
    }
    db.close();
    await signedIn('unlinkAccount', unlink);
    await refused('unlinkAccount', 'ACCOUNT_NOT_FOUND', unlink);
    await service.stop();
    await refused('signInSocial', 'OIDC_UNREACHABLE', { json });
  });

  test('a session whose last proof is over an hour old', async () => {
    const db = new Database(join(stack.dataDir, 'signalbox.db'));
    db.run('UPDATE sessions SET proved_at = 0');
    db.close();
    await refused('createUser', 'SESSION_NOT_FRESH', { json: bob });
    await refused('prove', 'INVALID_PASSWORD', { json: { password: 'wrong' } });
    await signedIn('prove', { json: { password: PASSWORD } });
    await refused('createUser', 'VALIDATION_ERROR', { json: { ...bob, email: 'nobody' } });
  });

  test('sessions and the password', async () => {
    const ada = { email: 'ada@example.org', password: PASSWORD };
    await call('signInEmail', { json: ada });
    const sessions = (await signedIn<{ id: string; current: boolean }[]>('listSessions')).body;
    const other = sessions.find(({ current }) => !current)?.id ?? '';
    await signedIn('endSession', { params: { id: other } });
    await refused('endSession', 'NOT_FOUND', { params: { id: other } });
    const change = (currentPassword: string, newPassword: string) => ({
      json: { currentPassword, newPassword },
    });
    await refused('changePassword', 'INVALID_PASSWORD', change('wrong one', PASSWORD));
    await refused('changePassword', 'PASSWORD_TOO_SHORT', change(PASSWORD, 'short'));
    await signedIn('changePassword', change(PASSWORD, PASSWORD));
    const renewed = await signedIn<Made>('changePassword', {
      json: { currentPassword: PASSWORD, newPassword: PASSWORD, revokeOtherSessions: true },
    });
    ownerToken = renewed.body.token;
    owner = bearer(ownerToken);
  });

  test('the second factor', async () => {
    const ada = { email: 'ada@example.org', password: PASSWORD };
    const json = { password: PASSWORD };
    const wrong = { json: { password: 'wrong' } };
    await refused('verifyTotp', 'TOTP_NOT_ENABLED', { json: { code: '123456' } });
    await refused('verifyBackupCode', 'BACKUP_CODES_NOT_ENABLED', { json: { code: 'x' } });
    await refused('generateBackupCodes', 'TWO_FACTOR_NOT_ENABLED', { json });
    await refused('getTotpUri', 'TOTP_NOT_ENABLED', { json });
    for (const id of ['enableTwoFactor', 'disableTwoFactor', 'generateBackupCodes']) {
      await refused(id, 'INVALID_PASSWORD', wrong);
    }
    type Begun = { totpURI: string; backupCodes: string[] };
    const { body } = await signedIn<Begun>('enableTwoFactor', { json });
    const uri = await signedIn<Begun>('getTotpUri', { json });
    expect(uri.body.totpURI).toBe(body.totpURI);
    const code = (URI.parse(body.totpURI) as TOTP).generate();
    await signedIn('verifyTotp', { json: { code } });
    const key = join(stack.dataDir, 'secret-key');
    renameSync(key, `${key}.away`);
    expect((await call('signInEmail', { json: ada })).body.code).toBe('SECRET_KEY_UNUSABLE');
    renameSync(`${key}.away`, key);
    const half = await call('signInEmail', { json: ada });
    const Cookie = half.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const again = (id: string, text: string) =>
      call(id, { json: { code: text }, headers: { Cookie } });
    expect((await call('verifyTotp', { json: { code } })).body.code).toBe(
      'INVALID_TWO_FACTOR_COOKIE',
    );
    expect((await again('verifyTotp', code)).body.code).toBe('INVALID_CODE');
    for (let failure = 0; failure < 4; failure++) {
      expect((await again('verifyBackupCode', 'x')).body.code).toBe('INVALID_BACKUP_CODE');
    }
    const over = 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE';
    expect((await again('verifyTotp', code)).body.code).toBe(over);
    await signedIn('verifyBackupCode', { json: { code: body.backupCodes[0] } });
    const db = new Database(join(stack.dataDir, 'signalbox.db'));
    db.run('UPDATE two_factors SET failures = 9');
    db.close();
    await refused('prove', 'INVALID_CODE', { json: { code } });
    await refused('prove', 'ACCOUNT_TEMPORARILY_LOCKED', { json: { code } });
    await signedIn('generateBackupCodes', { json });
    await signedIn('disableTwoFactor', { json });
  });

  test('passkeys', async () => {
    const device = createAuthenticator();
    const said = { rpId: 'localhost', origin: `http://localhost:${new URL(stack.hub).port}` };
    type Begun = { challenge: string };
    const cookieOf = (headers: Headers) => ({
      Cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '',
    });
    async function add(origin = said.origin) {
      const begun = await signedIn<Begun>('beginPasskey');
      const response = device.register(begun.body.challenge, { ...said, origin });
      return { json: { response }, headers: cookieOf(begun.headers) };
    }
    async function use(rpId = said.rpId, headers: Record<string, string> = {}) {
      const begun = await call<Begun>('beginPasskeySignIn', { headers });
      const response = device.authenticate(begun.body.challenge, { ...said, rpId });
      return { response, headers: cookieOf(begun.headers) };
    }
    const signIn = ({ response, headers }: Awaited<ReturnType<typeof use>>) =>
      call<{ code?: string }>('signInPasskey', { json: { response }, headers });

    expect((await signIn(await use())).body.code).toBe('PASSKEY_NOT_FOUND');
    const foreign = await add('https://evil.example');
    await refused('addPasskey', 'FAILED_TO_VERIFY_REGISTRATION', foreign);
    await refused('addPasskey', 'CHALLENGE_NOT_FOUND', foreign);
    const { body } = await signedIn<{ id: string }>('addPasskey', await add());
    await refused('addPasskey', 'PREVIOUSLY_REGISTERED', await add());
    await signedIn('listPasskeys');
    expect((await signIn(await use('evil.example'))).body.code).toBe('AUTHENTICATION_FAILED');
    expect((await signIn(await use())).status).toBe(200);
    const proof = await use(said.rpId, owner);
    await signedIn('prove', { json: { passkey: proof.response }, headers: proof.headers });
    await refused('renamePasskey', 'NOT_FOUND', { json: { id: 'none', name: 'Key' } });
    await signedIn('renamePasskey', { json: { id: body.id, name: 'Key' } });
    await signedIn('deletePasskey', { json: { id: body.id } });
    await refused('deletePasskey', 'NOT_FOUND', { json: { id: body.id } });
  });

  test('tokens', async () => {
    await refused('createToken', 'INVALID_REQUEST', { json: { name: '' } });
    await refused('deleteToken', 'NOT_FOUND', { params: { id: 'none' } });
    const json = { name: 'deploy', scope: 'write', expiresAt: '2999-01-01T00:00:00Z' };
    const { body } = await signedIn<Made>('createToken', { json });
    await call('listVhosts', { headers: bearer(body.token) });
    await signedIn('listTokens');
    await signedIn('deleteToken', { params: { id: body.id } });
  });
});

describe('vhosts', () => {
  const json = { domain: 'http://a.example', config: 'respond {upstream}', upstream: 'b:1' };

  test('one by one', async () => {
    await refused('createVhost', 'INVALID_REQUEST', { json: { ...json, domain: '' } });
    await refused('createVhost', 'PROXY_REJECTED', { json: { ...json, config: 'respnd' } });
    const check = { path: '/', status: 418, within: 0.1 };
    await refused('createVhost', 'CHECK_FAILED', { json: { ...json, check } });
    const { body, headers } = await signedIn<{ id: number }>('createVhost', { json });
    await refused('createVhost', 'DOMAIN_TAKEN', { json });
    const params = { id: body.id };
    await refused('updateVhost', 'PRECONDITION_FAILED', {
      params,
      json: { enabled: false },
      headers: { 'If-Match': '"other"' },
    });
    const tag = { 'If-Match': headers.get('etag') ?? '' };
    await signedIn('updateVhost', { params, json: { enabled: false }, headers: tag });
    for (const id of ['toggleVhost', 'deleteVhost']) {
      await refused(id, 'PRECONDITION_FAILED', { params, headers: tag });
    }
    await signedIn('toggleVhost', { params });
    await signedIn('getVhost', { params });
    await signedIn('listVhosts');
    for (const id of ['getVhost', 'updateVhost', 'toggleVhost', 'deleteVhost']) {
      const input = id === 'updateVhost' ? { json: {} } : {};
      await refused(id, 'NOT_FOUND', { params: { id: 999 }, ...input });
    }
    await refused('toggleVhost', 'INVALID_REQUEST', { params, query: { replace: 'x' } });
  });

  test('their state and activity', async () => {
    await refused('getVhostState', 'NOT_FOUND', { params: { id: 999 } });
    await refused('listVhostActivity', 'INVALID_REQUEST', { query: { buckets: 'x' } });
    await refused('listVhostStrips', 'INVALID_REQUEST', { query: { span: 'week' } });
    await signedIn('listVhostStrips', { query: { span: 'month' } });
    await signedIn('listVhostIcons');
    await refused('getVhostIcon', 'NOT_FOUND', { params: { id: 1 } });
    inDatabase(stack.dataDir, (sqlite) =>
      sqlite.run("INSERT INTO icons VALUES (1, 0, '', NULL, 'v', x'89504e470d0a1a0a')"),
    );
    await signedIn('getVhostIcon', { params: { id: 1 } });
    await signedIn('getVhostState', { params: { id: 1 } });
    await until(async () => {
      const { headers } = await signedIn('listVhostStates');
      const ifKnown = { 'If-None-Match': headers.get('etag') ?? '' };
      return (await signedIn('listVhostStates', { headers: ifKnown })).status === 304;
    }, 'states that are the same');
    await signedIn('listVhostStates', { query: { since: '' } });
    await refused('getVhostUptime', 'NOT_FOUND', { params: { id: 999 } });
    await refused('getVhostUptime', 'INVALID_REQUEST', {
      params: { id: 1 },
      query: { days: '91' },
    });
    await signedIn('getVhostUptime', { params: { id: 1 } });
    await signedIn('listUptime');
    await stack.served('a.example');
    await until(
      async () => (await signedIn<{ total: number }>('listLogs')).body.total > 0,
      'an entry',
    );
    const { body } = await signedIn<{ vhosts: object[] }>('listVhostActivity');
    expect(body.vhosts.length).toBe(1);
  });

  test('their certificates', async () => {
    const site = { domain: 'nas.lan', config: 'respond hi' };
    await refused('adviseCertificates', 'INVALID_REQUEST', { json: { ...site, domain: '' } });
    await refused('adviseCertificates', 'PROXY_REJECTED', { json: { ...site, config: 'respnd' } });
    await signedIn('adviseCertificates', { json: site });
    const { body } = await signedIn<{ id: number }>('createVhost', { json: site });
    expect((await signedIn<object[]>('listCertificates')).body.length).toBe(1);
    await signedIn('deleteVhost', { params: { id: body.id } });
    // The first preamble makes Caddy create its authority.
    await signedIn('getRootCertificate');
    const { config } = (await signedIn<{ config: string }>('getPreamble')).body;
    const without = config.replace('skip_install_trust', '');
    await signedIn('updatePreamble', { json: { config: without } });
    await refused('getRootCertificate', 'NOT_FOUND');
    await signedIn('updatePreamble', { json: { config } });
  });

  test('several at once, and undo', async () => {
    const operation = { op: 'create', domain: 'http://b.example', config: 'respond b' };
    const results = await signedIn<{ results: { id: number }[] }>('bulkVhosts', {
      json: { operations: [operation, { op: 'toggle', id: 1 }, { op: 'toggle', id: 1 }] },
    });
    const id = results.body.results[0]?.id ?? 0;
    await refused('bulkVhosts', 'NOT_FOUND', { json: { operations: [{ op: 'delete', id: 999 }] } });
    await refused('bulkVhosts', 'DOMAIN_TAKEN', { json: { operations: [operation] } });
    const expects = { vhosts: [{ id: 999 }] };
    await refused('bulkVhosts', 'PRECONDITION_FAILED', { json: { operations: [], expects } });
    const headers = { 'Idempotency-Key': 'once' };
    await signedIn('bulkVhosts', { headers, json: { operations: [] } });
    await refused('bulkVhosts', 'KEY_REUSED', { headers, json: { operations: [operation] } });
    await signedIn('deleteVhost', { params: { id } });
    const entries = (
      await signedIn<{ id: number; domain: string; action: string }[]>('listChangelog')
    ).body;
    const find = (action: string) =>
      entries.find((one) => one.action === action && one.domain === 'http://b.example')?.id ?? 0;
    await refused('revertChangelogEntry', 'REVERT_CONFLICT', { params: { id: find('create') } });
    await refused('preview', 'REVERT_CONFLICT', { json: { op: 'undo', id: find('create') } });
    await refused('revertChangelogEntry', 'NOT_FOUND', { params: { id: 999 } });
    await signedIn('preview', { json: { op: 'undo', id: find('delete') } });
    await signedIn('revertChangelogEntry', { params: { id: find('delete') } });
    type Grouped = { group: number; count: number }[];
    const groups = await signedIn<Grouped>('listChangelog', { query: { grouped: 'true' } });
    const several = groups.body.find(({ count }) => count === 3)?.group ?? 0;
    await signedIn('revertChangelogGroup', { params: { id: groups.body[0]?.group ?? 0 } });
    await refused('preview', 'CHANGED_SINCE', { json: { op: 'undo', group: several } });
    await refused('revertChangelogGroup', 'CHANGED_SINCE', { params: { id: several } });
    await refused('listChangelog', 'INVALID_REQUEST', { query: { before: 'x' } });
  });
});

describe('the whole configuration', () => {
  test('preamble, preview, proxyfile', async () => {
    const { body } = await signedIn<{ config: string }>('getPreamble');
    await refused('updatePreamble', 'PROXY_REJECTED', { json: { config: '{' } });
    await signedIn('updatePreamble', { json: { config: `${body.config}\n# more` } });
    await refused('preview', 'NOT_FOUND', { json: { op: 'toggle', id: 999 } });
    await signedIn('preview', { json: { op: 'toggle', id: 1 } });
    await signedIn('preview', { json: { op: 'update', id: 1, config: 'respnd' } });
    await signedIn('preview', { json: { op: 'preamble', config: '' } });
    const headers = { 'If-Match': '"other"' };
    await refused('updatePreamble', 'PRECONDITION_FAILED', { headers, json: { config: '' } });
    const query = { try: 'true' };
    const site = { op: 'create', domain: 'http://tried.example', config: 'respond tried' };
    const tried = await signedIn<{ tried: object[] }>('preview', { query, json: site });
    expect(tried.body.tried).toHaveLength(1);
    const replay = (operation: object) => ({ json: { operations: [operation] } });
    await refused('startReplay', 'NOT_FOUND', replay({ op: 'toggle', id: 999 }));
    await refused('startReplay', 'INVALID_REQUEST', { json: { operations: [] } });
    await refused(
      'startReplay',
      'PROXY_REJECTED',
      replay({ op: 'update', id: 1, config: 'respnd' }),
    );
    await signedIn('explain', { json: { vhost: 1 } });
    await refused('explain', 'NOT_FOUND', { json: { vhost: 999 } });
    await refused('explain', 'INVALID_REQUEST', { json: {} });
    const unseen = replay({ op: 'update', id: 1, tags: ['replayed'] });
    const params = { id: (await signedIn<Made>('startReplay', unseen)).body.id };
    await signedIn('getReplay', { params });
    await signedIn('endReplay', { params });
    for (const id of ['getReplay', 'endReplay']) await refused(id, 'NOT_FOUND', { params });
    await signedIn('listDoors', { query: { days: '30' } });
    await refused('listDoors', 'INVALID_REQUEST', { query: { days: '0' } });
    await signedIn('closeDoors', { json: { vhosts: [1], dryRun: true } });
    await refused('closeDoors', 'NOT_FOUND', { json: { vhosts: [999] } });
    await signedIn('getProxyfile');
    await signedIn('getProxyfile', { query: { vhost: '1' } });
    await refused('getProxyfile', 'NOT_FOUND', { query: { vhost: '999' } });
    await refused('getProxyfile', 'INVALID_REQUEST', { query: { vhost: 'x' } });
  });

  test('ports that are not free', async () => {
    const other = holdPort80();
    await refused('moveToStandardPorts', 'PORT_UNAVAILABLE');
    other?.stop(true);
  });

  test('import, export, restore', async () => {
    const snapshot = (await signedIn<{ preamble: string }>('exportConfiguration')).body;
    await refused('restoreConfiguration', 'NOT_EMPTY', { json: snapshot });
    const json = { ...snapshot, preamble: `${snapshot.preamble}\n# restored` };
    await signedIn('restoreConfiguration', { json, query: { replace: 'true' } });
    const port = stack.httpPort;
    const proxyfile = `http://c.example:${port} {\n\trespond c\n}\n`;
    await refused('importProxyfile', 'PROXY_REJECTED', { json: { proxyfile: 'c.example {' } });
    await signedIn('importProxyfile', { json: { proxyfile, dryRun: true } });
    await signedIn('importProxyfile', { json: { proxyfile } });
    const other = proxyfile.replace('respond c', 'respond d');
    await refused('importProxyfile', 'DOMAIN_TAKEN', { json: { proxyfile: other } });
    const options = `{\n\thttp_port 1\n}\n${proxyfile}`;
    await refused('importProxyfile', 'PREAMBLE_DIFFERS', { json: { proxyfile: options } });
    await signedIn('importNpm', { raw: npmForm(npmDatabase(EMPTIED)), query: { dryRun: 'true' } });
    await signedIn('getApplySchema');
    await signedIn('listContainers');
    await signedIn('exportConfiguration', { query: { format: 'yaml' } });
    const apply = {
      source: 'home',
      sites: { [`http://e.example:${port}`]: { config: 'respond e' } },
    };
    await refused('applyDocument', 'STALE', { json: { ...apply, expects: '' } });
    await signedIn('applyDocument', { json: { ...apply, dryRun: true } });
    await signedIn('applyDocument', { json: apply });
  });
});

test('policies are created, read, changed, undone and deleted', async () => {
  const values = { networks: ['203.0.113.7'] };
  const json = { name: 'blocked', recipe: 'block', values };
  await refused('createPolicy', 'INVALID_REQUEST', { json: { ...json, recipe: 'none' } });
  const made = await signedIn<{ id: number }>('createPolicy', { json });
  await refused('createPolicy', 'POLICY_TAKEN', { json });
  const again = { json: { operations: [{ op: 'policy', ...json }] } };
  await refused('bulkVhosts', 'POLICY_TAKEN', again);
  const params = { id: made.body.id };
  await signedIn('listPolicies');
  await signedIn('getPolicy', { params });
  await refused('getPolicy', 'NOT_FOUND', { params: { id: 999 } });
  const networks = { values: { networks: ['203.0.113.8'] } };
  await signedIn('preview', { json: { op: 'policy', ...params, ...networks } });
  await refused('updatePolicy', 'INVALID_REQUEST', { params, json: { values: {} } });
  const headers = { 'If-Match': '"old"' };
  await refused('updatePolicy', 'PRECONDITION_FAILED', { params, json: networks, headers });
  await signedIn('updatePolicy', { params, json: networks });
  const site = { domain: 'http://guarded.example', config: 'respond g', policies: ['blocked'] };
  const vhost = await signedIn<{ id: number }>('createVhost', { json: site });
  await refused('deletePolicy', 'POLICY_IN_USE', { params });
  await signedIn('deleteVhost', { params: { id: vhost.body.id } });
  await refused('deletePolicy', 'PRECONDITION_FAILED', { params, headers });
  await signedIn('deletePolicy', { params });
  await refused('deletePolicy', 'NOT_FOUND', { params });
  const [entry] = (await signedIn<{ id: number }[]>('listChangelog')).body;
  await signedIn('createPolicy', { json });
  await refused('revertChangelogEntry', 'POLICY_TAKEN', { params: { id: entry?.id ?? 0 } });
});

test('kept certificates', async () => {
  const { certificate: chain, key } = await selfSigned(['kept.example']);
  const json = { name: 'home', chain, key };
  await refused('createKeptCertificate', 'INVALID_REQUEST', { json: { ...json, key: chain } });
  await signedIn('createKeptCertificate', { json });
  await refused('createKeptCertificate', 'CERTIFICATE_TAKEN', { json });
  const [params, headers] = [{ id: 'home' }, { 'If-Match': '"old"' }];
  await signedIn('listKeptCertificates');
  await signedIn('getKeptCertificate', { params });
  await refused('getKeptCertificate', 'NOT_FOUND', { params: { id: 'none' } });
  await refused('updateKeptCertificate', 'PRECONDITION_FAILED', {
    params,
    headers,
    json: { name: 'house' },
  });
  await signedIn('updateKeptCertificate', { params, json: { chain, key } });
  const site = { domain: 'kept.example', config: 'respond kept' };
  const vhost = await signedIn<{ id: number }>('createVhost', { json: site });
  await refused('deleteKeptCertificate', 'CERTIFICATE_IN_USE', { params });
  await signedIn('deleteVhost', { params: { id: vhost.body.id } });
  await refused('deleteKeptCertificate', 'PRECONDITION_FAILED', { params, headers });
  await signedIn('deleteKeptCertificate', { params });
});

test.skipIf(!HAS_ACME)('certificates by DNS', async () => {
  const dns = acme?.dns.spec;
  const json = { names: ['*.home.example'], email: 'ada@example.org', dns };
  await signedIn('listDnsProviders');
  await refused('tryOrder', 'INVALID_REQUEST', { json: { ...json, names: [] } });
  const credentials = { ...dns?.credentials, RFC2136_TSIG_SECRET: 'bm9ib2R5' };
  const wrong = { ...json, dns: { ...dns, credentials } };
  // First, as the authority may believe names that the account has proved.
  await refused('tryOrder', 'CERTIFICATE_FAILED', { json: wrong });
  await signedIn('tryOrder', { json });
  await signedIn('createKeptCertificate', { json: { name: 'home', ...json } });
  const params = { id: 'home' };
  await signedIn('renewKeptCertificate', { params });
  await refused('renewKeptCertificate', 'NOT_FOUND', { params: { id: 'none' } });
  await signedIn('deleteKeptCertificate', { params });
});

test('channels and deliveries', async () => {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') });
  const url = `http://127.0.0.1:${server.port}`;
  const json = { name: 'Hook', kind: 'webhook', target: { url } };
  await refused('createChannel', 'INVALID_REQUEST', { json: { ...json, target: {} } });
  const params = { id: (await signedIn<{ id: number }>('createChannel', { json })).body.id };
  await signedIn('listChannels');
  await signedIn('getChannel', { params });
  await signedIn('updateChannel', { params, json: { events: ['drift'] } });
  await refused('updateChannel', 'INVALID_REQUEST', { params, json: { kind: 'smtp' } });
  await signedIn('testChannel', { params });
  await signedIn('tryChannel', { json });
  await refused('tryChannel', 'INVALID_REQUEST', { json: { ...json, target: {} } });
  await refused('tryChannel', 'NOT_FOUND', { json: { ...json, id: 999 } });
  await server.stop(true);
  await refused('testChannel', 'CHANNEL_FAILED', { params });
  await refused('tryChannel', 'CHANNEL_FAILED', { json });
  const key = join(stack.dataDir, 'secret-key');
  renameSync(key, `${key}.kept`);
  await refused('testChannel', 'SECRET_KEY_UNUSABLE', { params });
  await refused('tryChannel', 'SECRET_KEY_UNUSABLE', { json: { ...json, ...params } });
  await refused('createChannel', 'SECRET_KEY_UNUSABLE', { json });
  await refused('updateChannel', 'SECRET_KEY_UNUSABLE', { params, json: { target: { url } } });
  renameSync(`${key}.kept`, key);
  await signedIn('listDeliveries');
  await signedIn('deleteChannel', { params });
  for (const id of ['getChannel', 'updateChannel', 'testChannel', 'deleteChannel']) {
    await refused(id, 'NOT_FOUND', { params, ...(id === 'updateChannel' && { json: {} }) });
  }
});

test('agents', async () => {
  const guest = await startEnrollable();
  const params = { name: 'vps' };
  try {
    const json = { name: 'vps', invitation: formatInvitation(guest.invitation) };
    await refused('addAgent', 'AGENT_TAKEN', { json: { ...json, name: 'local' } });
    const wrong = formatInvitation({ ...guest.invitation, secret: 'x'.repeat(43) });
    await refused('addAgent', 'INVITATION_INVALID', { json: { ...json, invitation: wrong } });
    expect((await signedIn('addAgent', { json })).status).toBe(201);
    await signedIn('listAgents');
    await signedIn('getAgent', { params });
    await signedIn('rotateAgentToken', { params });
    await signedIn('updateAgent', { params, json: { paused: true } });
    const site = { domain: 'http://h.example', config: 'respond h', agents: ['local', 'vps'] };
    await signedIn('createVhost', { json: site });
    const at = new Date().toISOString();
    await signedIn('getHistory', { query: { at } });
    await signedIn('getHistoryDiff', { query: { at } });
    await signedIn('restoreHistory', { json: { at } });
    await refused('deleteAgent', 'AGENT_IN_USE', { params: { name: 'local' } });
    await refused('getAgent', 'NOT_FOUND', { params: { name: 'nobody' } });
    expect((await signedIn('deleteAgent', { params })).status).toBe(200);
    await refused('restoreHistory', 'NOT_RESTORABLE', { json: { at } });
    await refused('getHistoryDiff', 'INVALID_REQUEST', { query: { at: '2020-01-01' } });
  } finally {
    await guest.stop();
  }
});

test('recipes are listed, and written from values', async () => {
  await signedIn('listRecipes');
  const json = { values: { networks: ['private_ranges'] } };
  await signedIn('renderRecipe', { params: { id: 'allow' }, json });
  await refused('renderRecipe', 'INVALID_REQUEST', { params: { id: 'block' }, json: {} });
  await refused('renderRecipe', 'NOT_FOUND', { params: { id: 'none' }, json });
});

test('the access log has pages, statistics and a live stream', async () => {
  await stack.served('a.example');
  await until(
    async () => (await signedIn<{ total: number }>('listLogs')).body.total > 0,
    'an entry',
  );
  await signedIn('getLogStats', { query: { buckets: '3' } });
  await signedIn('exportLogs', { query: { domain: 'a.example' } });
  await refused('exportLogs', 'INVALID_REQUEST', { query: { format: 'xls' } });
  await signedIn('tailLogs');
  await refused('listLogs', 'INVALID_REQUEST', { query: { status: 'x' } });
  await refused('getLogStats', 'INVALID_REQUEST', { query: { buckets: '0' } });
  await refused('tailLogs', 'INVALID_REQUEST', { headers: { 'Last-Event-ID': 'x' } });
});

test('the security log has what changed who may do what', async () => {
  for (const kind of ['restore', 'agent', 'token', 'session']) {
    const { body } = await signedIn<object[]>('listSecurityLog', { query: { kind } });
    expect([kind, body.length]).not.toEqual([kind, 0]);
  }
  await refused('listSecurityLog', 'INVALID_REQUEST', { query: { before: 'x' } });
  await signedIn('listSignIns');
});

describe('status', () => {
  test('health, status and summary', async () => {
    await call('getHealth');
    await signedIn('getStatus');
    await signedIn('getSummary');
  });

  test('incidents and events', async () => {
    await signedIn('listIncidents', { query: { open: 'true' } });
    await refused('listIncidents', 'INVALID_REQUEST', { query: { open: 'x' } });
    await signedIn('listEvents');
    const json = { until: null };
    await refused('knowProblem', 'NOT_FOUND', { params: { key: 'x' }, json });
    await refused('knowProblem', 'INVALID_REQUEST', { params: { key: 'x' }, json: {} });
    await refused('forgetProblem', 'NOT_FOUND', { params: { key: 'x' } });
  });

  test('metrics, locally or with a token', async () => {
    const headers = { 'X-Forwarded-For': '192.0.2.1' };
    expect((await call('getMetrics', { headers })).body.code).toBe('UNAUTHENTICATED');
    await signedIn('getMetrics', { headers });
    await call('getMetrics');
  });

  test('the document does not depend on earlier requests', async () => {
    const { body, headers } = await signedIn('getOpenapi');
    expect<unknown>(body).toEqual(JSON.parse(JSON.stringify(made)));
    expect(headers.get('content-type')).toBe('application/json');
  });
});

describe('if the agent fails', () => {
  let answer: (url: string) => Response = () => new Response('');
  const agent = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // The real agent never fails at a log the way it fails at the proxy.
    fetch: ({ url }) => (url.includes('/logs') ? new Response('') : answer(url)),
  });
  const away = temporaryFolder();
  let hub: Awaited<ReturnType<typeof serveHub>>;
  let headers: Record<string, string>;
  const there = createClient(document, () => hub.url, onAnswer);
  const create = { json: { domain: 'http://a.example', config: 'respond a' } };

  beforeAll(async () => {
    const settings = { ...stack.settings.hub, dataDir: away, socket: join(away, 'hub.sock') };
    hub = await serveHub(
      { ...settings, port: 0, agentUrl: `http://127.0.0.1:${agent.port}` },
      'x'.repeat(40),
      () => {},
    );
    headers = (await signUp({ hub: `${hub.url}/api` })).headers;
  });
  afterAll(async () => {
    await hub.stop();
    await agent.stop(true);
    rmSync(away, { recursive: true, force: true });
  });

  const said = (code: string, status: number) => () =>
    Response.json({ code, message: 'said the agent' }, { status });
  const proxyStatus = (foreign: boolean) =>
    Response.json({
      liveDigest: null,
      fileDigest: null,
      foreign,
      owner: null,
      drift: false,
      proxy: { running: true, version: null },
      restartNeeded: false,
      warnings: [],
    });

  test.each([
    ['AGENT_UNREACHABLE', () => new Response('')],
    ['PROXY_UNREACHABLE', said('PROXY_UNREACHABLE', 502)],
    ['STORAGE_UNAVAILABLE', said('STORAGE_UNAVAILABLE', 507)],
    ['IMPORT_FIRST', () => proxyStatus(true)],
    [
      'OTHER_HUB',
      (url: string) => (url.includes('/reload') ? said('OTHER_HUB', 409)() : proxyStatus(false)),
    ],
  ])('%s', async (code, given) => {
    answer = given;
    expect((await there.call('createVhost', { ...create, headers })).body.code).toBe(code);
    const { body } = await there.call<{ problems: { key: string }[] }>('getStatus', { headers });
    const params = { key: body.problems[0]?.key ?? '' };
    await there.call('knowProblem', { params, headers, json: { until: null } });
    await there.call('forgetProblem', { params, headers });
    // This hub has no other ports.
    await there.call('moveToStandardPorts', { headers });
    for (const id of words(`
      listLogs getLogStats tailLogs exportLogs listVhostStates listCertificates
    `))
      await there.call(id, { headers });
    for (const [id, json] of Object.entries({
      preview: { op: 'preamble', config: '# a' },
      updatePreamble: { config: '# a' },
      importProxyfile: { proxyfile: '# a' },
    })) {
      await there.call(id, { json, headers });
    }
  });
});

describe('backups', () => {
  const folder = temporaryFolder();
  let hub: Awaited<ReturnType<typeof serveHub>>;
  let headers: Record<string, string>;
  const there = createClient(document, () => hub.url, onAnswer);

  beforeAll(async () => {
    const token = 'x'.repeat(40);
    const env = {
      DATA_DIR: join(folder, 'data'),
      BACKUP_DIR: folder,
      HUB_PORT: '0',
      AGENT_URL: 'http://127.0.0.1:1',
      AGENT_TOKEN: token,
    };
    hub = await serveHub(readSettings('hub', env, machine).hub, token, () => {});
    headers = (await signUp({ hub: `${hub.url}/api` })).headers;
  });
  afterAll(async () => {
    await hub.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('are made, listed and restored', async () => {
    const params = { name: 'none' };
    const none = await there.call('restoreBackup', { params, json: {}, headers });
    expect(none.status).toBe(404);
    expect((await there.call('makeBackup', { headers })).status).toBe(200);
    const { body } = await there.call<{ backups: { name: string }[] }>('listBackups', { headers });
    const name = body.backups[0]?.name ?? '';
    const restored = { params: { name }, json: {}, headers };
    expect((await there.call('restoreBackup', restored)).status).toBe(202);
  });
});

describe('a restart of Caddy', () => {
  let all: ProgramAgent;
  const there = createClient(document, () => all.hub().replace(/\/api$/, ''), onAnswer);
  beforeAll(async () => {
    all = await startProgramAgent();
  });
  afterAll(() => all.stop());
  const asOwner = (id: string) => there.call<{ code?: string }>(id, { headers: all.owner.headers });

  test('with another program, and one that is refused', async () => {
    await asOwner('getPrograms');
    await asOwner('restartProxy');
    for (const [status, code] of [
      [502, 'PROGRAM_REFUSED'],
      [409, 'STALE'],
    ] as const) {
      all.answers(() => refusal(status, code, 'words'));
      expect((await asOwner('restartProxy')).body.code).toBe(code);
    }
  });
});

/** Cannot be provoked from outside, or is provoked elsewhere. */
const ELSEWHERE = ['INTERNAL', 'DATABASE_UNUSABLE', 'BODY_TOO_SLOW', 'IMPORT_DIFFERS', 'STOPPING'];

test('every operation has succeeded once, and every code has occurred', () => {
  const byDns = ['listDnsProviders', 'tryOrder', 'renewKeptCertificate'];
  const left = ids.filter((id) => !succeeded.has(id));
  expect(left.filter((id) => HAS_ACME || !byDns.includes(id))).toEqual([]);
  const documented = operations.flatMap(({ operation }) =>
    Object.entries(operation.responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([, { content }]) => Object.keys(content?.['application/json']?.examples ?? {})),
  );
  const missing = [...new Set(documented)].filter((code) => !codes.has(code));
  const elsewhere = [...ELSEWHERE, ...(HAS_ACME ? [] : ['CERTIFICATE_FAILED'])];
  expect(missing.toSorted()).toEqual(elsewhere.toSorted());
});
