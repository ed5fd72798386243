// proof: program
/** `signalbox promote`: two hubs over one copy of a database, and which of them the agents obey. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { formatInvitation } from '../../../../src/shared/invitation.ts';
import { type EnrollableAgent, startEnrollable } from '../../../harness/enrolled.ts';
import { refusal } from '../../../harness/operator.ts';
import { type Program, runProgram } from '../../../harness/program.ts';
import { ask, freePort, signUp, temporaryFolder, until } from '../../../harness/stack.ts';

// Each test starts several hubs, and the machine may be busy.

type Headers = Record<string, string>;
type Hub = { program: Program; api: string; headers: Headers };
type Seen = { name: string; state: string; detail?: string };

const TOKEN = 'first-agent'.padEnd(43, '-');
const folder = temporaryFolder();
const programs: Program[] = [];
const guests = new Map<string, EnrollableAgent>();
const firstPort = freePort();
/** What replication keeps: the file and its log, as of some moment. */
const replica = join(folder, 'replica.db');
const NAMES = ['local', 'vps'];

/** A machine of a hub. */
const machine = (name: string) => join(folder, name);
const dataOf = (name: string) => join(folder, name, 'data');

function run(args: string[], cwd: string) {
  return runProgram(args, {}, cwd).exited();
}

function start(args: string[], env: Record<string, string>, cwd: string): Program {
  mkdirSync(cwd, { recursive: true });
  const program = runProgram(args, env, cwd);
  programs.push(program);
  return program;
}

const hubSettings = () => ({ HUB_PORT: '0', AGENT_URL: agentUrl, AGENT_TOKEN: TOKEN });

async function startHub(name: string): Promise<Omit<Hub, 'headers'>> {
  const program = start(['hub'], hubSettings(), machine(name));
  return { program, api: `${await program.address('hub')}/api` };
}

/** Starts it and signs in: a restore ends the sessions. */
async function resume(name: string): Promise<Hub> {
  const hub = await startHub(name);
  const json = { email: 'ada@example.org', password: 'a long passphrase' };
  const { body } = await ask<{ token: string }>(`${hub.api}/auth/sign-in/email`, { json });
  return { ...hub, headers: { Authorization: `Bearer ${body.token}` } };
}

async function stop({ program }: Pick<Hub, 'program'>): Promise<void> {
  program.child.kill('SIGTERM');
  expect((await program.exited()).code).toBe(0);
}

const call = <T>({ api, headers }: Hub, method: string, path: string, json?: unknown) =>
  ask<T>(`${api}${path}`, { method, headers, ...(json === undefined ? {} : { json }) });
const create = (hub: Hub, name: string, query = '') =>
  call<{ code?: string; message?: string }>(hub, 'POST', `/vhosts${query}`, {
    domain: `http://${name}.example`,
    config: `respond ${name}`,
  });
const served = (name: string) =>
  Promise.all(
    [firstPort, ...[...guests.values()].map(({ httpPort }) => httpPort)].map(async (port) => {
      const headers = { Host: `${name}.example` };
      return (await ask(`http://127.0.0.1:${port}/`, { headers })).text;
    }),
  );
const untilAll = (hub: Hub, state: string) =>
  until(async () => {
    const seen = (await call<Seen[]>(hub, 'GET', '/agents')).body;
    return seen.every((agent) => agent.state === state) && seen;
  }, `all agents ${state}`);
const warnings = async (hub: Hub) =>
  (await call<{ warnings: string[] }>(hub, 'GET', '/status')).body.warnings.join('\n');
const preamble = (port: number) => ({
  config: `{\n\thttp_port ${port}\n\thttps_port ${freePort()}\n\tskip_install_trust\n}`,
});

const agentFolder = machine('agent');
const agent = start(
  ['agent'],
  {
    AGENT_PORT: '0',
    AGENT_TOKEN: TOKEN,
    PROXY_MANAGED: 'true',
    PROXYFILE: join(agentFolder, 'Caddyfile'),
    ACCESS_LOG: join(agentFolder, 'access.log'),
  },
  agentFolder,
);
for (const name of NAMES.slice(1)) guests.set(name, await startEnrollable());
const agentUrl = await agent.address('agent');
const hub = await startHub('first');
const first = { ...hub, headers: (await signUp({ hub: hub.api })).headers };
expect((await call(first, 'PUT', '/preamble', preamble(firstPort))).status).toBe(200);
for (const [name, { invitation, httpPort }] of guests) {
  const json = { name, invitation: formatInvitation(invitation) };
  expect((await call(first, 'POST', '/agents', json)).status).toBe(201);
  const path = `/preamble?agent=${name}`;
  expect((await call(first, 'PUT', path, preamble(httpPort))).status).toBe(200);
}
afterAll(async () => {
  for (const { child } of programs) child.kill('SIGTERM');
  await Promise.all(programs.map(({ exited }) => exited()));
  for (const guest of guests.values()) await guest.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('refuses what it cannot promote, and changes nothing', async () => {
  const nowhere = machine('nowhere');
  mkdirSync(nowhere);
  const none = await run(['promote'], nowhere);
  expect([none.code, none.err]).toEqual([
    1,
    expect.stringMatching(/^signalbox promote: .*cannot be read/),
  ]);
  for (const above of ['0', '-1', '9007199254740991', 'x']) {
    const refused = await run(['promote', `--above=${above}`], nowhere);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('--above takes a number from 1 to 9007199254740990'),
    ]);
  }
  expect(existsSync(join(dataOf('nowhere'), 'signalbox.db'))).toBe(false);
  expect(await run(['promote'], machine('first'))).toEqual(
    refusal('another hub is using the data folder'),
  );
});

test('says what a backup lacks without its passphrase', async () => {
  const file = join(folder, 'backup.db');
  const passphrase = { BACKUP_PASSPHRASE: 'open sesame' };
  const backup = runProgram(['backup', file], passphrase, machine('first'));
  const { code, out } = await backup.exited();
  expect([code, out]).toEqual([0, expect.stringContaining('1 account, 1 enrolled agent,')]);
  expect(out).toContain('It contains secret-key, sealed with BACKUP_PASSPHRASE.');
  mkdirSync(machine('elsewhere'));
  for (const command of ['restore', 'promote']) {
    expect(await run([command, file], machine('elsewhere'))).toEqual(
      refusal('set BACKUP_PASSPHRASE, or use --without-key if it is lost'),
    );
    expect(existsSync(join(dataOf('elsewhere'), 'signalbox.db'))).toBe(false);
  }
  const restored = await run(['restore', file, '--without-key'], machine('elsewhere'));
  const unkeyed = await run(['promote', '--without-key'], machine('elsewhere'));
  expect([unkeyed.code, unkeyed.out]).toEqual([0, expect.stringContaining('refuse the old one')]);
  expect([restored.code, restored.out]).toEqual([
    0,
    expect.stringContaining('secret-key is missing'),
  ]);
});

test('does not make another key', async () => {
  // Not the first agent, which is to obey another hub.
  const env = { ...hubSettings(), AGENT_URL: `http://127.0.0.1:${freePort()}` };
  const program = start(['hub'], env, machine('elsewhere'));
  await program.address('hub');
  await stop({ program });
  const { out, err } = await program.exited();
  expect(out + err).toContain('secret-key is missing: restore it');
  expect(existsSync(join(dataOf('elsewhere'), 'secret-key'))).toBe(false);
});

test('leaves enrolled agents their names', async () => {
  const env = { ...hubSettings(), AGENT_NAME: 'vps' };
  expect(await start(['hub'], env, machine('elsewhere')).exited()).toEqual(
    refusal('AGENT_NAME is vps, but an enrolled'),
  );
});

test('makes agents obey the copy, and refuse the first hub', async () => {
  for (const name of ['one', 'two']) expect((await create(first, name)).status).toBe(201);
  await untilAll(first, 'in-step');
  // The log first: what is moved from it into the file meanwhile is then in both.
  for (const end of ['-wal', ''])
    copyFileSync(join(dataOf('first'), `signalbox.db${end}`), replica + end);
  // Two changes that the copy lacks; the second is live but not recorded when the hub is killed.
  expect((await create(first, 'three')).status).toBe(201);
  const lock = new Database(join(dataOf('first'), 'signalbox.db'));
  lock.run('PRAGMA busy_timeout = 5000');
  lock.run('BEGIN IMMEDIATE');
  const underWay = create(first, 'four').catch(() => null);
  await until(async () => (await served('four')).every((text) => text === 'four'), 'the change');
  first.program.child.kill('SIGKILL');
  await first.program.exited();
  lock.close();
  expect(await underWay).toBeNull();

  const second = machine('second');
  mkdirSync(second);
  expect(await run(['promote', replica], second)).toEqual(refusal('but their key is missing'));
  expect(existsSync(join(dataOf('second'), 'signalbox.db'))).toBe(false);
  copyFileSync(join(dataOf('first'), 'secret-key'), join(dataOf('second'), 'secret-key'));
  const done = await run(['promote', '--above', '1000000', replica], second);
  expect([done.code, done.err]).toEqual([0, '']);
  expect(done.out).toContain('2 sites, 1 account, 1 enrolled agent');

  const promoted = await resume('second');
  await untilAll(promoted, 'in-step');
  expect(await served('two')).toEqual(['two', 'two']);
  for (const name of ['three', 'four']) expect(await served(name)).toEqual(['', '']);
  expect((await create(promoted, 'later')).status).toBe(201);

  const files = () => [...guests.values()].map(({ proxyfile }) => readFileSync(proxyfile, 'utf8'));
  const before = files();
  // Its sessions were not ended: nothing was restored there.
  const again = { ...(await startHub('first')), headers: first.headers };
  for (const { detail } of await untilAll(again, 'refused')) {
    expect(detail).toContain('A newer copy of this hub was promoted');
  }
  expect(await warnings(again)).toContain('signalbox promote --above 1000001');
  for (const query of ['', '?replace=true', '?require=all']) {
    const refused = await create(again, 'never', query);
    expect([refused.status, refused.body.code]).toEqual([409, 'OTHER_HUB']);
    expect(refused.body.message).toContain('A newer copy of this hub was promoted');
  }
  const rotated = await call<{ code: string }>(again, 'POST', '/agents/vps/rotate');
  expect([rotated.status, rotated.body.code]).toEqual([409, 'OTHER_HUB']);
  const { body } = await call<{ domain: string }[]>(again, 'GET', '/vhosts');
  expect(body.map(({ domain }) => domain)).not.toContain('http://never.example');
  expect(files()).toEqual(before);
  expect(await served('later')).toEqual(['later', 'later']);
  await stop(again);
  await untilAll(promoted, 'in-step');
  expect(await warnings(promoted)).not.toContain('promote');
  await stop(promoted);
});

test('counts once: what is restored over a promoted database is obeyed', async () => {
  expect((await run(['restore', replica], machine('second'))).code).toBe(0);
  const restored = await resume('second');
  await untilAll(restored, 'in-step');
  expect(await served('later')).toEqual(['', '']);
  expect(await served('one')).toEqual(['one', 'one']);
  await stop(restored);
});

test('is how to go on with a backup from before a promotion', async () => {
  const third = machine('third');
  mkdirSync(dataOf('third'), { recursive: true });
  copyFileSync(join(dataOf('first'), 'secret-key'), join(dataOf('third'), 'secret-key'));
  expect((await run(['restore', replica], third)).code).toBe(0);
  const refused = await resume('third');
  await untilAll(refused, 'refused');
  expect((await create(refused, 'third')).body.code).toBe('OTHER_HUB');
  const [cure = ''] = /signalbox promote[^"]*/.exec(await warnings(refused)) ?? [];
  await stop(refused);

  expect((await run(cure.split(' ').slice(1), third)).code).toBe(0);
  const obeyed = await resume('third');
  await untilAll(obeyed, 'in-step');
  // Nothing differs but the term: now the one that was promoted before is the old one.
  const second = await resume('second');
  await untilAll(second, 'refused');
  await stop(second);
  expect((await create(obeyed, 'third')).status).toBe(201);
  expect(await served('third')).toEqual(['third', 'third']);
  await stop(obeyed);
});
