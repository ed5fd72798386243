// proof: caddys
/** The change of Caddy's program as an operator has it: by the command line, the API and the messages. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProgramsView } from '../../../src/features/programs/routes.ts';
import { versionOf } from '../../harness/caddys.ts';
import { runHere } from '../../harness/command.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { QUICK } from '../../harness/pace.ts';
import { anotherCaddy, badCaddy, OWN, place, sumOf } from '../../harness/programs.ts';
import { temporaryFolder, until } from '../../harness/stack.ts';

const NEXT = anotherCaddy();
const [older, newer] = [OWN, NEXT].toSorted((a, b) =>
  Bun.semver.order(versionOf(a), versionOf(b)),
) as [string, string];

type Problem = { code: string; message: string };

const look = async () => (await owner.call<ProgramsView>('GET', '/proxy/programs')).body;
/** But those that there are on any machine with an old Caddy and a data folder in /tmp. */
const problems = async () => {
  const { body } = await owner.call<{ problems: Problem[] }>('GET', '/status');
  return body.problems.filter(({ code }) => !['WARNING', 'ADVISORY'].includes(code));
};

const bin = join(temporaryFolder(), 'caddy');
place(bin, older);
const owner = await forFile(startOwner({ PROXY_BIN: bin }, undefined, QUICK));
const values = { users: [{ name: 'ada', password: 'correct horse battery' }] };
const policy = { name: 'family', recipe: 'basic-auth', values };
expect((await owner.call('POST', '/policies', policy)).status).toBe(201);
const site = { domain: 'http://a.example', config: 'respond a', policies: ['family'] };
expect((await owner.call('POST', '/vhosts', site)).status).toBe(201);

test('the command changes to the one at PROXY_BIN, and the hub speaks its words', async () => {
  const text = owner.stack.readProxyfile();
  place(bin, newer);
  const { code, out } = await runHere(['caddy', 'restart'], {
    env: { DATA_DIR: owner.stack.dataDir },
  });
  expect([code, out]).toEqual([0, expect.stringContaining(`local: Caddy ${versionOf(newer)}`)]);
  expect(await look()).toMatchObject({ current: { version: versionOf(newer) }, next: null });
  expect(await problems()).toEqual([]);
  expect((await owner.stack.served('a.example')).status).toBe(401);
  const dialects = [older, newer].map((of) => Bun.semver.satisfies(versionOf(of), '>=2.8.0'));
  expect(owner.stack.readProxyfile() !== text).toBe(dialects[0] !== dialects[1]);
});

test('one that is not used when signalbox starts is a problem, until it is gone', async () => {
  const copy = `caddy/programs/caddy-${sumOf(readFileSync(newer))}`;
  await until(() => existsSync(join(owner.stack.dataDir, copy)), 'the copy');
  await owner.stack.restart(() => place(bin, badCaddy(dirname(bin), 'answers errors')));
  const found = await until(async () =>
    (await problems()).find(({ code }) => code === 'PROGRAM_RETURNED'),
  );
  expect(found.message).toContain('The program at PROXY_BIN (Caddy 2.11.99) is not used');
  expect((await look()).current?.version).toBe(versionOf(newer));
  expect((await owner.stack.served('a.example')).status).toBe(401);
  place(bin, newer);
  await until(async () => (await problems()).length === 0, 'no problem');
});
