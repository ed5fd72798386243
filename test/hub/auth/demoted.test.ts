// proof: hub
/** Who loses a role while their request waits: nothing of it is stored after that was answered. */

import { expect, test } from 'bun:test';
import { forEachTest } from '../../harness/for-tests.ts';
import { some } from '../../harness/full.ts';
import { startOwner } from '../../harness/owner.ts';
import { ask } from '../../harness/stack.ts';

type Listed = { id: string; email: string; role: string };

const owner = forEachTest(() => startOwner());

const password = 'a long passphrase of nobody';

/** An account with a role, signed in. */
async function member(role: string) {
  const email = `${role}@example.org`;
  const json = { name: role, email, password, role };
  const { body } = await owner.call<Listed>('POST', '/users', json);
  const signedIn = await ask<{ token: string }>(`${owner.stack.hub}/auth/sign-in/email`, {
    json: { email, password },
  });
  expect(signedIn.status).toBe(200);
  return { id: body.id, headers: { Authorization: `Bearer ${signedIn.body.token}` } };
}

const users = async () => (await owner.call<Listed[]>('GET', '/users')).body;

/** What takes the role away; both answer once it is gone. */
const LOSSES = {
  demoted: (id: string) =>
    owner.call('POST', '/auth/admin/set-role', { userId: id, role: 'viewer' }),
  deleted: (id: string) => owner.call('DELETE', `/users/${id}`),
};

for (const [loss, take] of Object.entries(LOSSES)) {
  test(`an owner who is ${loss} makes no more accounts`, async () => {
    const other = await member('owner');
    const asked = Array.from({ length: some(12, 30) }, (_, n) =>
      ask<{ code?: string }>(`${owner.stack.hub}/users`, {
        headers: other.headers,
        json: { name: `n${n}`, email: `n${n}@example.org`, password, role: 'owner' },
      }),
    );
    // Some of them are made by now, and the others wait for their hash.
    await Promise.race(asked);
    expect((await take(other.id)).status).toBeLessThan(300);
    const made = (await users()).length;
    const answers = await Promise.all(asked);
    expect((await users()).length).toBe(made);
    const refused = answers.filter(({ status }) => status >= 400);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body } of refused) {
      expect([401, 403]).toContain(status);
      expect(['UNAUTHENTICATED', 'FORBIDDEN_ROLE']).toContain(body.code ?? '');
    }
  });

  test(`the policy of an editor who is ${loss} is not stored once its passwords are hashed`, async () => {
    const other = await member('editor');
    const json = {
      name: 'late',
      recipe: 'basic-auth',
      values: {
        users: Array.from({ length: 3 }, (_, n) => ({
          name: `u${n}`,
          password: `${password} ${n}`,
        })),
      },
    };
    const asked = ask<{ code?: string }>(`${owner.stack.hub}/policies`, {
      headers: other.headers,
      json,
    });
    await Bun.sleep(50);
    expect((await take(other.id)).status).toBeLessThan(300);
    const { status, body } = await asked;
    expect([401, 403], JSON.stringify(body)).toContain(status);
    const policies = await owner.call<unknown[]>('GET', '/policies');
    expect(policies.body).toEqual([]);
  });
}
