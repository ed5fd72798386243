import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { hashSync } from '@node-rs/argon2';
import { forFile } from '../../../harness/for-file.ts';
import { startHubAlone } from '../../../harness/hub-alone.ts';
import { runProgram } from '../../../harness/program.ts';
import { ask, signUp } from '../../../harness/stack.ts';

type Body = { code: string };
type Headers = Record<string, string>;
type SessionEntry = { id: string; current: boolean; ipAddress: string };

const PASSWORD = 'a long passphrase';
const NEW = 'quite another phrase';
const stack = await forFile(startHubAlone());

const ada = await signUp(stack);

const call = <T = Body>(method: string, path: string, headers: Headers, json?: unknown) =>
  ask<T>(`${stack.hub}${path}`, { method, headers, json });

async function signIn(email = 'ada@example.org', password = PASSWORD) {
  const { status, body } = await ask<{ token: string }>(`${stack.hub}/auth/sign-in/email`, {
    json: { email, password },
  });
  return { status, token: body.token, headers: { Authorization: `Bearer ${body.token}` } };
}

const makeUser = (name: string, role = 'viewer') =>
  call<Body & { id: string }>('POST', '/users', ada.headers, {
    name,
    role,
    email: `${name}@example.org`,
    password: PASSWORD,
  });

describe('sessions', () => {
  test('of another user cannot be ended or listed', async () => {
    const eve = await makeUser('eve');
    expect(eve.status).toBe(201);
    const { headers } = await signIn('eve@example.org');
    const { body: mine } = await call<SessionEntry[]>('GET', '/sessions', ada.headers);
    const { body: hers } = await call<SessionEntry[]>('GET', '/sessions', headers);
    expect(hers.map((entry) => entry.id)).not.toContain(mine[0]?.id as string);
    const answer = await call('DELETE', `/sessions/${mine[0]?.id}`, headers);
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
    expect((await call('DELETE', '/sessions/none', ada.headers)).status).toBe(404);
    expect(await call('GET', `/sessions?user=${ada.userId}`, headers)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN_ROLE', needs: 'owner' },
    });
    expect((await call('GET', '/sessions', ada.headers)).status).toBe(200);
  });

  test('are listed without tokens, and ended one by one', async () => {
    const other = await signIn();
    const { body, text } = await call<SessionEntry[]>('GET', '/sessions', ada.headers);
    expect(body.filter((entry) => entry.current).length).toBe(1);
    expect(body.every((entry) => entry.ipAddress === '127.0.0.1')).toBe(true);
    expect(text).not.toContain(other.token);
    expect(text.toLowerCase()).not.toContain('token');
    for (const { id } of body.filter((entry) => !entry.current)) {
      expect((await call('DELETE', `/sessions/${id}`, ada.headers)).status).toBe(200);
    }
    expect((await call('GET', '/vhosts', other.headers)).status).toBe(401);
    expect((await call('GET', '/vhosts', ada.headers)).status).toBe(200);
  });
});

describe('change-password refuses', () => {
  const change = (json: unknown, headers: Headers = ada.headers) =>
    call('POST', '/auth/change-password', headers, json);

  test.each<[string, object, string]>([
    [
      'a wrong current password',
      { currentPassword: 'not that one', newPassword: NEW },
      'INVALID_PASSWORD',
    ],
    [
      'a short new password',
      { currentPassword: PASSWORD, newPassword: 'short' },
      'PASSWORD_TOO_SHORT',
    ],
    [
      'a common new password',
      { currentPassword: PASSWORD, newPassword: 'password1' },
      'PASSWORD_TOO_COMMON',
    ],
    ['a missing current password', { newPassword: NEW }, 'VALIDATION_ERROR'],
  ])('%s', async (_, json, code) => {
    const answer = await change(json);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(answer.text).not.toContain(NEW);
  });

  test('strangers, before reading the body', async () => {
    expect((await change('{', {})).body.code).toBe('UNAUTHENTICATED');
  });

  test('the eleventh wrong guess, while sign-in still works', async () => {
    const made = await makeUser('guess');
    const { headers } = await signIn('guess@example.org');
    for (let time = 0; time < 10; time++) {
      expect(
        (await change({ currentPassword: `no ${time}`, newPassword: NEW }, headers)).status,
      ).toBe(400);
    }
    const answer = await change({ currentPassword: PASSWORD, newPassword: NEW }, headers);
    expect([answer.status, answer.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect((await signIn('guess@example.org')).status).toBe(200);
    await call('DELETE', `/users/${made.body.id}`, ada.headers);
  });
});

test('changing the password ends all other sessions, and this one on request', async () => {
  await makeUser('bob');
  const [one, two] = [await signIn('bob@example.org'), await signIn('bob@example.org')];
  const change = (currentPassword: string, newPassword: string, more = {}) =>
    ask<{ token: string | null; user: { name: string } }>(`${stack.hub}/auth/change-password`, {
      json: { currentPassword, newPassword, ...more },
      headers: one.headers,
    });
  const kept = await change(PASSWORD, NEW);
  expect([kept.status, kept.body.token, kept.body.user.name]).toEqual([200, null, 'bob']);
  expect((await call('GET', '/vhosts', two.headers)).status).toBe(401);
  expect((await signIn('bob@example.org')).status).toBe(401);

  const three = await signIn('bob@example.org', NEW);
  const replaced = await change(NEW, PASSWORD, { revokeOtherSessions: true });
  const headers = { Authorization: `Bearer ${replaced.body.token}` };
  expect((await call('GET', '/vhosts', headers)).status).toBe(200);
  expect(replaced.headers.get('set-cookie')).toContain(`=${replaced.body.token};`);
  for (const gone of [one, three]) {
    expect((await call('GET', '/vhosts', gone.headers)).status).toBe(401);
  }
});

test('a weak hash is replaced at the next sign-in', async () => {
  const weak = hashSync(PASSWORD, { algorithm: 2, memoryCost: 4096, timeCost: 1 });
  const db = new Database(join(stack.dataDir, 'signalbox.db'));
  const stored = () =>
    db.query("SELECT password_hash FROM users WHERE email = 'ada@example.org'").values()[0]?.[0];
  db.run("UPDATE users SET password_hash = ? WHERE email = 'ada@example.org'", [weak]);
  await signIn('ada@example.org', NEW);
  expect(stored()).toBe(weak);
  expect((await signIn()).status).toBe(200);
  const strong = stored();
  expect(strong).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
  expect((await signIn()).status).toBe(200);
  expect(stored()).toBe(strong);
  db.close();
});

describe('accounts', () => {
  test('are created without changing the caller’s session', async () => {
    const made = await makeUser('cyd');
    expect(made.headers.get('set-cookie')).toBeNull();
    expect(made.text).not.toContain('assword');
    const again = await makeUser('cyd');
    expect([again.status, again.body.code]).toEqual([422, 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL']);
    const bad = await call('POST', '/users', ada.headers, { name: 'x', email: 'x', password: NEW });
    expect([bad.status, bad.body.code]).toEqual([400, 'VALIDATION_ERROR']);
    const { body } = await call<{ id: string }[]>('GET', '/users', ada.headers);
    expect(body.map((user) => user.id)).toContain(made.body.id);
  });

  test('are deleted with their sessions; the last one cannot be', async () => {
    const cyd = await signIn('cyd@example.org');
    const { body } = await call<{ id: string }[]>('GET', '/users', ada.headers);
    expect((await call('DELETE', '/users/none', ada.headers)).status).toBe(404);
    for (const { id } of body.filter((user) => user.id !== ada.userId)) {
      expect((await call('DELETE', `/users/${id}`, ada.headers)).status).toBe(200);
    }
    expect((await call('GET', '/vhosts', cyd.headers)).status).toBe(401);
    const last = await call('DELETE', `/users/${ada.userId}`, ada.headers);
    expect([last.status, last.body.code]).toEqual([409, 'LAST_USER']);
    expect((await signIn('cyd@example.org')).status).toBe(401);
  });

  test('can be deleted by their owner', async () => {
    const dan = await makeUser('dan', 'owner');
    const { headers } = await signIn('dan@example.org');
    expect((await call('DELETE', `/users/${dan.body.id}`, headers)).status).toBe(200);
    expect((await call('GET', '/users', headers)).status).toBe(401);
  });
});

describe('signalbox passwd', () => {
  const passwd = (email: string, input?: string, dataDir = stack.dataDir) =>
    runProgram(
      ['passwd', email],
      { DATA_DIR: dataDir },
      stack.folder,
      input === undefined ? {} : { input },
    ).exited();

  test('refuses a short password', async () => {
    const { code, out, err } = await passwd('ada@example.org', 'short\n');
    expect([code, out]).toEqual([1, '']);
    expect(err).toStartWith('signalbox passwd: ');
    expect((await call('GET', '/vhosts', ada.headers)).status).toBe(200);
  });

  test('does not create a database', async () => {
    const none = join(stack.folder, 'none');
    expect((await passwd('ada@example.org', NEW, none)).code).toBe(1);
    expect(await Bun.file(join(none, 'signalbox.db')).exists()).toBe(false);
  });

  test('sets a password while the hub runs, and ends the sessions', async () => {
    const { code, out } = await passwd('Ada@example.org', `${NEW}\n`);
    expect([code, out]).toEqual([0, 'The password has been changed.\n']);
    expect((await call('GET', '/vhosts', ada.headers)).status).toBe(401);
    expect((await signIn('ada@example.org', NEW)).status).toBe(200);
  });

  test('generates a password if none is given', async () => {
    const { out } = await passwd('ada@example.org');
    const made = /^The new password is (\S{24})\n$/.exec(out)?.[1] ?? '';
    expect((await signIn('ada@example.org', made)).status).toBe(200);
  });
});
