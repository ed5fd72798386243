/** The change of Caddy's program by the hub: what it refuses, records and says. The agent's part is a stand-in. */
import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { ProgramsView } from '../../../src/features/programs/routes.ts';
import { forFile } from '../../harness/for-file.ts';
import { NEXT, OLD, refusal, startProgramAgent } from '../../harness/program-agent.ts';
import { until } from '../../harness/stack.ts';

const programs = async () => (await all.call<ProgramsView>('GET', '/proxy/programs')).body;
const restart = (headers?: Record<string, string>, query = '') =>
  all.call<ProgramsView & { code?: string; message?: string; detail?: string }>(
    'POST',
    `/proxy/restart${query}`,
    undefined,
    headers,
  );
/** What the security log has of agents, the newest first. */
type Entry = { detail: string; actorName: string; target: string; at: string };
const recorded = async () => (await all.call<Entry[]>('GET', '/security-log?kind=agent')).body;

beforeEach(() => all.reset());

const all = await forFile(startProgramAgent());
const site = { domain: 'http://a.example', config: 'respond a' };
expect((await all.call('POST', '/vhosts', site)).status).toBe(201);

describe('a refusal records nothing, and restarts nothing', () => {
  async function refusedWith(code: string, answer: Promise<{ body: { code?: string } }>) {
    const before = await recorded();
    expect((await answer).body.code).toBe(code);
    expect(all.restarts()).toBe(0);
    expect(await recorded()).toEqual(before);
  }

  test('a viewer, an editor, any token, and a session whose proof is old', async () => {
    const password = 'a long passphrase';
    for (const role of ['viewer', 'editor']) {
      const email = `${role}@example.org`;
      await all.call('POST', '/users', { name: role, email, password, role });
      const sent = { email, password };
      const { body } = await all.call<{ token: string }>('POST', '/auth/sign-in/email', sent, {});
      const headers = { Authorization: `Bearer ${body.token}` };
      await refusedWith('FORBIDDEN_ROLE', restart(headers));
      expect((await all.call('GET', '/proxy/programs', undefined, headers)).status).toBe(200);
    }
    const made = { name: 't', scope: 'write' };
    const { body } = await all.call<{ token: string }>('POST', '/tokens', made);
    await refusedWith('FORBIDDEN', restart({ Authorization: `Bearer ${body.token}` }));
    await refusedWith('UNAUTHENTICATED', restart({}));
    const db = new Database(join(all.env.DATA_DIR, 'signalbox.db'));
    const proved = db.query<{ at: number }, []>('SELECT max(proved_at) AS at FROM sessions').get();
    db.run('UPDATE sessions SET proved_at = 0');
    await refusedWith('SESSION_NOT_FRESH', restart());
    db.run('UPDATE sessions SET proved_at = ?', [proved?.at ?? 0]);
    db.close();
  });

  test('an agent that is not there, and a Caddy of another program', async () => {
    await refusedWith('NOT_FOUND', restart(undefined, '?agent=nobody'));
    Object.assign(all.state, { managed: false, next: null, unit: 'caddy.service' });
    await refusedWith('INVALID_REQUEST', restart());
    expect((await programs()).command).toBe(
      'sudo apt-get update && sudo apt-get install --only-upgrade caddy && sudo systemctl restart caddy.service',
    );
    all.state.unit = 'x; reboot';
    expect((await programs()).command).toBe('docker compose pull && docker compose up -d');
  });

  test('what the agent refuses is passed on', async () => {
    const before = await recorded();
    for (const [status, code] of [
      [502, 'PROGRAM_REFUSED'],
      [502, 'PROXY_UNREACHABLE'],
      [409, 'STALE'],
      [400, 'INVALID_REQUEST'],
    ] as const) {
      const detail = 'a.example: GET / gets 502 instead of 200';
      all.answers(() => refusal(status, code, 'words', { detail, words: detail }));
      expect((await restart()).body).toMatchObject({ code, message: 'words', detail });
    }
    all.answers('dies');
    expect((await restart()).body.code).toBe('AGENT_UNREACHABLE');
    expect(await recorded()).toEqual(before);
    expect((await programs()).current?.version).toBe('2.6.2');
  });
});

test('both programs are shown, with the known holes of the one that runs', async () => {
  const { advisories, ...shown } = await programs();
  expect(shown).toMatchObject({
    agent: 'local',
    current: OLD,
    next: NEXT,
    managed: true,
    command: null,
  });
  expect(advisories?.length).toBeGreaterThan(0);
});

test('a change is answered with what runs now, and recorded with who made it', async () => {
  const answer = await restart();
  expect(answer).toMatchObject({
    status: 200,
    body: { current: { version: '2.11.7', sha256: NEXT.sha256 }, next: null, advisories: [] },
  });
  const [entry] = await recorded();
  expect(entry).toMatchObject({
    detail: 'Caddy 2.6.2 → 2.11.7',
    actorName: 'Ada',
    target: 'local',
    at: expect.any(String),
  });
  expect((await restart()).body.current?.version).toBe('2.11.7');
  expect((await recorded())[0]?.detail).toBe('Caddy 2.11.7 restarted');
});

test('a change whose answer is lost is found to have happened, and recorded', async () => {
  all.answers('lost');
  expect(await restart()).toMatchObject({ status: 200, body: { current: { version: '2.11.7' } } });
  expect((await recorded())[0]?.detail).toBe('Caddy 2.6.2 → 2.11.7');
  await until(async () => {
    const { body } = await all.call<{ state: string }>('GET', '/agents/local');
    return body.state === 'in-step';
  }, 'in step');
});

test('a program that is not used is a problem of its own', async () => {
  all.warnings.push(
    'The program at PROXY_BIN (Caddy 2.11.7) is not used, and the one before runs: It ended',
  );
  type Found = { problems: { code: string; message: string }[] };
  const found = await until(async () => {
    const { body } = await all.call<Found>('GET', '/status');
    return body.problems.find(({ code }) => code === 'PROGRAM_RETURNED');
  }, 'the problem');
  expect(found.message).toContain('(Caddy 2.11.7) is not used');
  all.warnings.length = 0;
});
