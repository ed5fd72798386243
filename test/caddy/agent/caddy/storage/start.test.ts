// proof: agent
/** Starts and changes with torn files in the storage of each Caddy, and in that of its validation. */
import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAMAGES, MISSING } from '../../../../harness/damage.ts';
import { forFile } from '../../../../harness/for-file.ts';
import { FULL } from '../../../../harness/full.ts';
import { addSecureSite, servedSecurely } from '../../../../harness/secure-site.ts';
import { ask, signUp, startLocalCaStack, until } from '../../../../harness/stack.ts';

const AUTHORITY = 'pki/authorities/local';
const LEAF = 'certificates/local/a.test/a.test';
const FILES = [
  ...['root.crt', 'root.key', 'intermediate.crt', 'intermediate.key'].map(
    (name) => `${AUTHORITY}/${name}`,
  ),
  ...['crt', 'key', 'json'].map((type) => `${LEAF}.${type}`),
];
type State = { errors: { acme: { name: string; message: string } | null } };

/** All pairs, or each damage once, of files of all kinds: each needs a start. */
const CASES = [...DAMAGES, MISSING].flatMap((one, row) =>
  FILES.filter((_, at) => FULL || at === [1, 2, 5, 6][row]).map((file) => ({ ...one, file })),
);
/** "Within seconds", for a machine that does something else as well. */
const SECONDS = 5_000;

const stack = await forFile(startLocalCaStack());
const owner = await signUp(stack);
await addSecureSite(stack, owner, 'a.test');
await addSecureSite(stack, owner, 'b.test');

let changes = 0;

const stored = (name: string) => join(stack.dataDir, 'caddy/data/caddy', name);
const rootOf = () => readFileSync(stored(`${AUTHORITY}/root.crt`), 'utf8');
const warnings = async () =>
  (await ask<{ warnings: string[] }>(`${stack.hub}/status`, owner)).body.warnings.join('\n');
/** One that is validated. */
async function change(): Promise<void> {
  const config = 'request_body {\n\tmax_size 1MB\n}\nrespond c';
  const json = { domain: `http://c${changes++}.test`, config };
  const made = await ask(`${stack.hub}/vhosts`, { json, ...owner });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
}

test.each(CASES)('starts with $file $damage', async ({ file, harm }) => {
  await until(() => FILES.every((one) => existsSync(stored(one))), 'the files');
  const root = rootOf();
  await stack.restart(() => harm(stored(file)));
  await servedSecurely(stack, 'a.test', SECONDS);
  await servedSecurely(stack, 'b.test', SECONDS);
  if (!file.includes('root')) expect(rootOf()).toBe(root);
  await change();
});

test('says which files were damaged, and that devices have to trust a new root', async () => {
  await until(() => FILES.every((one) => existsSync(stored(one))), 'the files');
  for (const name of readdirSync(stored(AUTHORITY))) {
    if (name.includes('.torn-')) MISSING.harm(stored(`${AUTHORITY}/${name}`));
  }
  const before = FILES.map((file) => readFileSync(stored(file), 'utf8'));
  await stack.restart();
  await servedSecurely(stack, 'a.test', SECONDS);
  // Whole ones are kept, and nothing is said.
  expect(FILES.map((file) => readFileSync(stored(file), 'utf8'))).toEqual(before);
  expect(await warnings()).not.toMatch(/storage|authority/);

  await stack.restart(() => writeFileSync(stored(`${LEAF}.key`), ''));
  expect(await warnings()).toContain(`${LEAF}.key`);
  expect(await warnings()).not.toContain('devices');
  await stack.restart(() => writeFileSync(stored(`${AUTHORITY}/root.key`), ''));
  await servedSecurely(stack, 'a.test', SECONDS);
  expect(await warnings()).toContain('devices have to trust');
  expect(stack.lines.join('\n')).toContain('damaged file set aside');
  // Until somebody has seen to it.
  await stack.restart();
  expect(await warnings()).toContain('devices have to trust');
  expect(await warnings()).not.toContain(stack.folder);
});

test.each(FILES.slice(0, 4))('goes on with %s emptied while it runs', async (file) => {
  writeFileSync(stored(file), '');
  await change();
  await servedSecurely(stack, 'a.test', SECONDS);
  expect(statSync(stored(file)).size).toBeGreaterThan(0);
});

test.each(DAMAGES)('accepts changes with $damage files of its validation', async ({ harm }) => {
  const validated = join(stack.dataDir, 'caddy/validate/caddy', AUTHORITY);
  await change();
  for (const name of readdirSync(validated)) harm(join(validated, name));
  await change();
});

test('starts with an empty storage of its validation, and ignores the locks of a killed one', async () => {
  const scratch = join(stack.dataDir, 'caddy/validate/caddy');
  expect(existsSync(scratch)).toBe(true);
  await stack.restart(() => {
    writeFileSync(join(scratch, 'left'), '');
    for (const half of ['', '\0'.repeat(80), '{"created":"2099-01-01T00:00:00Z","upda']) {
      writeFileSync(stored(`locks/issue_cert_d${half.length}.test.lock`), half);
    }
    const future = '{"created":"2099-01-01T00:00:00Z","updated":"2099-01-01T00:00:00Z"}';
    writeFileSync(stored('locks/issue_cert_d.test.lock'), future);
  });
  expect(existsSync(join(scratch, 'left'))).toBe(false);
  for (const name of ['d', 'd0', 'd80', 'd43']) await addSecureSite(stack, owner, `${name}.test`);
});

test('says why a lock that is damaged while it runs keeps a site without certificate', async () => {
  writeFileSync(stored('locks/issue_cert_e.test.lock'), '{"created":"20');
  const json = { domain: `e.test:${stack.httpsPort}`, config: 'respond e' };
  const { body } = await ask<{ id: number }>(`${stack.hub}/vhosts`, { json, ...owner });
  const acme = await until(async () => {
    const state = await ask<State>(`${stack.hub}/vhosts/${body.id}/state`, owner);
    return state.body.errors.acme;
  }, 'the error');
  expect(acme).toMatchObject({ name: 'e.test', message: expect.stringContaining('lock') });
});
