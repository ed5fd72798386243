// proof: caddys
/** The exchange of Caddy's program as an operator has it: by the API, the command line and the messages. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { caddiesOf, versionOf } from '../../harness/caddys.ts';
import { runHere } from '../../harness/command.ts';
import { type Owner, startOwner } from '../../harness/owner.ts';
import { QUICK } from '../../harness/pace.ts';
import { anotherCaddy, OWN, sumOf } from '../../harness/programs.ts';
import { ask, until } from '../../harness/stack.ts';

const NEXT = anotherCaddy();
const [own, next] = [OWN, NEXT].map((file) => sumOf(readFileSync(file))) as [string, string];
const versions = [OWN, NEXT].map(versionOf) as [string, string];

type View = {
  current: { sha256: string; version: string };
  previous: { sha256: string }[];
  probation: { until: string } | null;
};

type Problem = { code: string; message: string };

let owner: Owner;
beforeAll(async () => {
  owner = await startOwner({}, undefined, QUICK);
  const values = { users: [{ name: 'ada', password: 'correct horse battery' }] };
  const policy = await owner.call('POST', '/policies', {
    name: 'family',
    recipe: 'basic-auth',
    values,
  });
  expect([policy.status, policy.text]).toEqual([201, expect.any(String)]);
  const site = { domain: 'http://a.example', config: 'respond a', policies: ['family'] };
  expect((await owner.call('POST', '/vhosts', site)).status).toBe(201);
});
afterAll(() => owner.stack.stop());

const look = async () => (await owner.call<View>('GET', '/proxy/programs')).body;
const isOver = () => until(async () => (await look()).probation === null);
/** But those that there are on any machine with an old Caddy and a data folder in /tmp. */
const problems = async () => {
  const { body } = await owner.call<{ problems: Problem[] }>('GET', '/status');
  return body.problems.filter(({ code }) => !['WARNING', 'ADVISORY'].includes(code));
};

function upload(file: string) {
  const form = new FormData();
  form.set('file', new Blob([readFileSync(file)]), 'caddy');
  return ask<View & { code?: string }>(`${owner.stack.hub}/proxy/program`, {
    method: 'POST',
    raw: form,
    headers: owner.headers,
  });
}

/** Hub and proxy agree, and the site asks for its password. */
async function expectInStep(): Promise<void> {
  expect(await problems()).toEqual([]);
  expect((await owner.stack.served('a.example')).status).toBe(401);
}

test('it is uploaded, runs, is in the changelog, and is gone back to on the command line', async () => {
  const text = owner.stack.readProxyfile();
  const done = await upload(NEXT);
  expect(done).toMatchObject({
    status: 200,
    body: { current: { sha256: next, version: versions[1] }, previous: [{ sha256: own }] },
  });
  await expectInStep();
  const dialects = versions.map((version) => Bun.semver.satisfies(version, '>=2.8.0'));
  expect(owner.stack.readProxyfile() !== text).toBe(dialects[0] !== dialects[1]);
  const [entry] = await owner.changelog();
  expect(entry).toMatchObject({
    domain: `(caddy ${versions[0]} → ${versions[1]})`,
  });
  expect((await upload(OWN)).body.code).toBe('ON_PROBATION');

  await isOver();
  const env = { DATA_DIR: owner.stack.dataDir };
  const back = await runHere(['caddy', 'back'], { env });
  expect([back.code, back.text]).toEqual([0, expect.stringContaining(versions[0])]);
  expect((await look()).current.sha256).toBe(own);
  await expectInStep();
  expect(owner.stack.readProxyfile()).toBe(text);
  await isOver();
});

test('one that ends on probation is replaced by the one before, which is said', async () => {
  const text = owner.stack.readProxyfile();
  expect((await upload(NEXT)).status).toBe(200);
  for (const { pid } of caddiesOf(owner.stack.dataDir)) process.kill(pid, 'SIGKILL');
  await until(async () => (await look()).current?.sha256 === own);
  const said = await until(async () =>
    (await problems()).find(({ code }) => code === 'PROGRAM_RETURNED'),
  );
  expect(said.message).toContain(`Caddy ${versions[1]} ended within a minute`);
  await until(async () => (await problems()).length === 1);
  expect((await owner.stack.served('a.example')).status).toBe(401);
  expect(owner.stack.readProxyfile()).toBe(text);
});
