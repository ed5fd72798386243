/** `signalbox passwd` with its options: what it removes, what it leaves, and what it records. */
import { beforeEach, expect, test } from 'bun:test';
import { inDatabase } from '../../../harness/database.ts';
import { forEachTest } from '../../../harness/for-tests.ts';
import { startHubAlone } from '../../../harness/hub-alone.ts';
import { runProgram } from '../../../harness/program.ts';
import { ask, signUp } from '../../../harness/stack.ts';

const [ADA, BOB] = ['ada@example.org', 'bob@example.org'];
const PASSWORD = 'a long passphrase';

const hub = forEachTest(() => startHubAlone());
let ada: Record<string, string>;

beforeEach(async () => {
  ada = (await signUp(hub)).headers;
  const json = { name: 'Bob', email: BOB, password: PASSWORD };
  await ask(`${hub.hub}/users`, { headers: ada, json });
  for (const email of [ADA, BOB]) giveFactors(email);
});

/** A second factor, a passkey, a linked account and half a sign-in; none can be used. */
function giveFactors(email: string): void {
  inDatabase(hub.dataDir, (sqlite) => {
    const [[id]] = sqlite.query('SELECT id FROM users WHERE email = ?').values(email) as [[string]];
    sqlite.run(`INSERT INTO two_factors VALUES (?, x'01', '["code"]', 1, 0, 0, NULL)`, [id]);
    sqlite.run(
      `INSERT INTO passkeys VALUES (?, ?, 'Phone', ?, x'02', 0, 'multiDevice', 1, '[]', '', 0, NULL)`,
      [`key of ${email}`, id, `credential of ${email}`],
    );
    sqlite.run(`INSERT INTO linked_accounts VALUES (?, ?, 'oidc', 'https://id.example', ?, 0)`, [
      `link of ${email}`,
      id,
      email,
    ]);
    sqlite.run(`INSERT INTO challenges VALUES (?, 'two_factor', ?, '{}', 0, ?)`, [
      `half of ${email}`,
      id,
      Date.now() + 600_000,
    ]);
  });
}

/** How many rows an account has in each table. */
const rowsOf = (email: string) =>
  inDatabase(hub.dataDir, (sqlite) =>
    Object.fromEntries(
      ['two_factors', 'passkeys', 'linked_accounts', 'challenges'].map((table) => {
        const of = `SELECT count(*) FROM ${table} JOIN users ON users.id = user_id WHERE email = ?`;
        return [table, sqlite.query(of).values(email).flat()[0]];
      }),
    ),
  );
const ALL = { two_factors: 1, passkeys: 1, linked_accounts: 1, challenges: 1 };
const roleOf = (email: string) =>
  inDatabase(
    hub.dataDir,
    (sqlite) => sqlite.query('SELECT role FROM users WHERE email = ?').values(email)[0]?.[0],
  );
const hashOf = (email: string) =>
  inDatabase(
    hub.dataDir,
    (sqlite) =>
      sqlite.query('SELECT password_hash FROM users WHERE email = ?').values(email)[0]?.[0],
  );
const recorded = () =>
  inDatabase(hub.dataDir, (sqlite) =>
    sqlite
      .query(
        `SELECT kind, target, detail, outcome FROM security_log WHERE actor_name = 'command line'`,
      )
      .values(),
  );
const isIn = async () => (await ask(`${hub.hub}/vhosts`, { headers: ada })).status === 200;

const passwd = (args: string[], input = '') =>
  runProgram(['passwd', ...args], { DATA_DIR: hub.dataDir }, hub.folder, { input }).exited();

test.each([
  ['an unknown address', ['none@example.org', '--reset-factors', '--owner']],
  ['no address', ['--owner']],
])('%s changes nothing', async (_, args) => {
  const { code, out } = await passwd(args);
  expect([code === 0, out]).toEqual([false, '']);
  expect([rowsOf(ADA), rowsOf(BOB), roleOf(BOB), recorded()]).toEqual([ALL, ALL, 'viewer', []]);
  expect(await isIn()).toBe(true);
});

test('what cannot be recorded is not done', async () => {
  const stop = `CREATE TRIGGER stop BEFORE INSERT ON security_log BEGIN SELECT RAISE(ABORT, 'no'); END`;
  inDatabase(hub.dataDir, (sqlite) => sqlite.run(stop));
  const before = hashOf(BOB);
  for (const args of [['--reset-factors'], ['--owner'], []]) {
    const { code, err } = await passwd([BOB, ...args], 'another passphrase\n');
    expect([code, err]).toEqual([1, expect.stringContaining('signalbox passwd: ')]);
  }
  expect([rowsOf(BOB), roleOf(BOB), hashOf(BOB)]).toEqual([ALL, 'viewer', before]);
});

test('a new password leaves the factors, and ends sessions and half a sign-in', async () => {
  expect((await passwd([ADA], 'another passphrase\n')).code).toBe(0);
  expect(rowsOf(ADA)).toEqual({ ...ALL, challenges: 0 });
  expect(rowsOf(BOB)).toEqual(ALL);
  expect(recorded()).toEqual([['password', ADA, 'reset', 'ok']]);
  expect(await isIn()).toBe(false);
});

test('--reset-factors removes every factor and nothing else, and asks for no password', async () => {
  const before = hashOf(ADA);
  const { code, out, err } = await passwd(
    [' Ada@Example.org', '--reset-factors'],
    'ignored here\n',
  );
  expect([code, out, err]).toEqual([
    0,
    `The second factors and passkeys of ${ADA} have been removed.\n`,
    '',
  ]);
  expect(rowsOf(ADA)).toEqual({ two_factors: 0, passkeys: 0, linked_accounts: 1, challenges: 0 });
  expect(rowsOf(BOB)).toEqual(ALL);
  expect(hashOf(ADA)).toBe(before);
  expect(recorded()).toEqual([['factor', ADA, 'all removed', 'ok']]);
  expect(await isIn()).toBe(false);
});

test('--owner makes an owner, alone or with the other option', async () => {
  const { code, out } = await passwd([BOB, '--owner']);
  expect([code, out]).toEqual([0, `${BOB} is an owner.\n`]);
  expect([roleOf(BOB), rowsOf(BOB)]).toEqual(['owner', { ...ALL, challenges: 0 }]);
  expect(recorded()).toEqual([['role', BOB, 'owner', 'ok']]);
  expect(await isIn()).toBe(true);
  expect((await passwd([BOB, '--owner', '--reset-factors'])).out).toBe(
    `The second factors and passkeys of ${BOB} have been removed.\n${BOB} is an owner.\n`,
  );
  expect(rowsOf(BOB)).toMatchObject({ two_factors: 0, passkeys: 0 });
});
