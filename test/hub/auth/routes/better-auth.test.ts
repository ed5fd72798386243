import { expect, test } from 'bun:test';
import { createClientOf } from '../../../harness/better-auth.ts';
import { forFile } from '../../../harness/for-file.ts';
import { startHubAlone } from '../../../harness/hub-alone.ts';

const PASSWORD = 'a long passphrase';
const NEW = 'quite another phrase';
const stack = await forFile(startHubAlone());
const createClient = () => createClientOf(stack.hub);

test('the client understands every error', async () => {
  const { client } = createClient();
  const short = await client.signUp.email({ name: 'Ada', email: 'ada@example.org', password: 'x' });
  expect([short.data, short.error?.status, short.error?.code]).toEqual([
    null,
    400,
    'PASSWORD_TOO_SHORT',
  ]);
  const unknown = await client.signIn.email({ email: 'eve@example.org', password: PASSWORD });
  expect([unknown.error?.status, unknown.error?.code]).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD']);
  expect(unknown.error?.message).toEqual(expect.any(String));
  expect((await client.getSession()).data).toBeNull();
});

test('it signs up, reads its session, signs out and in again, and changes the password', async () => {
  const { client, jar } = createClient();
  const up = await client.signUp.email({
    name: 'Ada',
    email: 'Ada@example.org',
    password: PASSWORD,
  });
  expect(up.error).toBeNull();
  expect(up.data?.user).toMatchObject({ name: 'Ada', email: 'ada@example.org', image: null });
  expect(up.data?.user.createdAt).toBeInstanceOf(Date);

  const session = await client.getSession();
  expect(session.data?.user.id).toBe(up.data?.user.id as string);
  expect(session.data?.session.token).toBe(up.data?.token as string);
  expect(session.data?.session.expiresAt.getTime()).toBeGreaterThan(Date.now());

  expect((await client.signOut()).data).toMatchObject({ success: true });
  expect(jar.cookie).toBe(`signalbox_session_${new URL(stack.hub).port}=`);
  expect((await client.getSession()).data).toBeNull();

  const back = await client.signIn.email({ email: 'ada@example.org', password: PASSWORD });
  expect(back.data).toMatchObject({ redirect: false, user: { id: up.data?.user.id } });
  const again = await createClient().client.signUp.email({
    name: 'Eve',
    email: 'eve@example.org',
    password: PASSWORD,
  });
  expect([again.error?.status, again.error?.code]).toEqual([403, 'SIGN_UP_CLOSED']);

  const wrong = await client.changePassword({ currentPassword: NEW, newPassword: NEW });
  expect([wrong.error?.status, wrong.error?.code]).toEqual([400, 'INVALID_PASSWORD']);
  const changed = await client.changePassword({
    currentPassword: PASSWORD,
    newPassword: NEW,
    revokeOtherSessions: true,
  });
  expect(changed.data?.token).toEqual(expect.any(String));
  expect((await client.getSession()).data?.session.token).toBe(changed.data?.token as string);
});
