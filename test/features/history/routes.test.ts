/** `/history`: what was stored at a moment, and the way back to it, over HTTP and on the command line. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Difference } from '../../../src/features/history/differences.ts';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';
import { ask } from '../../harness/stack.ts';

type Moment = Body & {
  at: string;
  sites: object[];
  policies: { name: string }[];
  preamble: string;
  agents: { name: string }[];
  certificates: string[];
  changes: number[];
};
type Answer = Body & {
  changes: Difference[];
  diff: string;
  left: object[];
  group?: number;
  published: boolean;
};

const owner = await forFile(startOwner());
const moment = (at: string) => owner.call<Moment>('GET', `/history?at=${encodeURIComponent(at)}`);
const restore = (body: object, query = '') =>
  owner.call<Answer>('POST', `/history/restore${query}`, body);
const served = async (name: string) => (await owner.stack.served(`${name}.example`)).text;
const create = async (name: string, more: object = {}) => {
  const site = { domain: `http://${name}.example`, config: `respond ${name}`, ...more };
  return (await owner.call<Body>('POST', '/vhosts', site)).body;
};
const ops = (answer: { body: Answer }) =>
  answer.body.changes.map(({ op, kind, name }) => `${op} ${kind} ${name}`);
/** The next moment is another one. */
const now = async () => {
  await Bun.sleep(2);
  return new Date().toISOString();
};

/** Two sites and a policy; then one is gone, one is changed, and a third is there. */
let tuesday: string;
let kept: Body;
let gone: Body;
beforeAll(async () => {
  await owner.call('POST', '/policies', {
    name: 'lan',
    recipe: 'allow',
    values: { networks: ['private_ranges'] },
  });
  kept = await create('kept');
  gone = await create('gone', { policies: ['lan'] });
  tuesday = await now();
  await owner.call('PUT', `/vhosts/${kept.id}`, { config: 'respond changed' });
  await owner.call('DELETE', `/vhosts/${gone.id}`);
  await create('later');
});

describe('refused, with nothing changed:', () => {
  test.each<[string, string, number, string]>([
    ['no time', '', 400, 'INVALID_REQUEST'],
    ['no such day', '2026-02-30', 400, 'INVALID_REQUEST'],
    ['a time before the changelog', '2020-01-01', 400, 'INVALID_REQUEST'],
    ['the future', '2999-01-01T00:00Z', 400, 'INVALID_REQUEST'],
  ])('%s', async (_, at, status, code) => {
    const before = await owner.everything();
    const answers = [await moment(at), await restore({ at }), await restore({ at, dryRun: true })];
    for (const { status: got, body } of answers) expect([got, body.code]).toEqual([status, code]);
    expect(await owner.everything()).toEqual(before);
  });

  test('a site that was not there then', async () => {
    const refused = await restore({ at: tuesday, vhosts: [kept.id, 999] });
    expect([refused.status, refused.body.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('a replay of what is no dry run', async () => {
    const refused = await restore({ at: tuesday, replay: true });
    expect([refused.status, refused.body.field]).toEqual([400, 'replay']);
  });

  test('whoever is not signed in', async () => {
    for (const path of ['/history?at=2026-11-24', '/history/diff?at=2026-11-24']) {
      const refused = await fetch(`${owner.stack.hub}${path}`);
      expect(refused.status).toBe(401);
      expect(await refused.text()).not.toContain('example');
    }
  });
});

describe('a moment', () => {
  test('has what was stored then, and the changes since', async () => {
    const { body } = await moment(tuesday);
    expect(body.sites).toMatchObject([
      { domain: 'http://kept.example', config: 'respond kept' },
      { domain: 'http://gone.example', config: 'respond gone' },
    ]);
    expect(body.policies.map(({ name }) => name)).toEqual(['lan']);
    expect(body.changes).toHaveLength(3);
    expect(body.agents.map(({ name }) => name)).toEqual(['local']);
  });

  test('may have a zone, and is in UTC without one', async () => {
    const zone = await moment(tuesday.replace('Z', '+00:00'));
    const none = await moment(tuesday.replace('Z', ''));
    expect([zone.body.at, none.body.at]).toEqual([tuesday, tuesday]);
  });

  test('is for a viewer its domains and states', async () => {
    const account = { name: 'v', email: 'v@example.org', password: 'a long passphrase' };
    await owner.call('POST', '/users', { ...account, role: 'viewer' });
    const { body: session } = await ask<{ token: string }>(
      `${owner.stack.hub}/auth/sign-in/email`,
      { json: account },
    );
    const headers = { Authorization: `Bearer ${session.token}` };
    const { body, text } = await ask<Moment>(`${owner.stack.hub}/history?at=${tuesday}`, {
      headers,
    });
    expect(body.sites).toEqual([
      { id: kept.id, domain: 'http://kept.example', enabled: true },
      { id: gone.id, domain: 'http://gone.example', enabled: true },
    ]);
    expect(text).not.toMatch(/respond|lan|private_ranges/);
    const diff = await ask(`${owner.stack.hub}/history/diff?at=${tuesday}`, { headers });
    const back = await ask(`${owner.stack.hub}/history/restore`, {
      headers,
      json: { at: tuesday },
    });
    expect([diff.status, back.status]).toEqual([403, 403]);
  });

  test('differs from now, and now from nothing', async () => {
    const path = `/history/diff?at=${tuesday}`;
    const { body } = await owner.call<Answer>('GET', path);
    expect(ops({ body })).toEqual([
      'delete site http://gone.example',
      'update site http://kept.example',
      'create site http://later.example',
    ]);
    expect(body.diff).toContain('+\trespond changed');
    const same = await owner.call<Answer>('GET', `${path}&to=${tuesday}`);
    expect([same.body.changes, same.body.diff]).toEqual([[], '']);
  });
});

describe('the way back', () => {
  test('is shown first, and changes nothing then', async () => {
    const before = await owner.everything();
    const planned = await restore({ at: tuesday, dryRun: true });
    expect([planned.status, planned.body.published]).toEqual([200, true]);
    expect(ops(planned)).toHaveLength(3);
    expect(planned.body.group).toBeUndefined();
    expect(await owner.everything()).toEqual(before);
  });

  test('may be that of one site alone', async () => {
    const done = await restore({ at: tuesday, vhosts: [gone.id] });
    expect(ops(done)).toEqual(['create site http://gone.example']);
    expect([await served('gone'), await served('kept'), await served('later')]).toEqual([
      'gone',
      'changed',
      'later',
    ]);
    await owner.call('POST', `/changelog/groups/${done.body.group}/revert`);
    expect(await served('gone')).toBe('');
  });

  test('is one change of everything, which one undo takes back', async () => {
    const done = await restore({ at: tuesday });
    expect([done.status, done.body.left]).toEqual([200, []]);
    expect([await served('gone'), await served('kept'), await served('later')]).toEqual([
      'gone',
      'kept',
      '',
    ]);
    const [group] = (
      await owner.call<{ group: number; summary: string }[]>('GET', '/changelog?grouped=true')
    ).body;
    expect(group?.group).toBe(done.body.group);
    expect(group?.summary).toBe(`Back to ${tuesday.slice(0, 16).replace('T', ' ')} UTC`);
    const again = await restore({ at: tuesday });
    expect([again.body.changes, again.body.published]).toEqual([[], false]);
    await owner.call('POST', `/changelog/groups/${done.body.group}/revert`);
    expect([await served('gone'), await served('kept'), await served('later')]).toEqual([
      '',
      'changed',
      'later',
    ]);
  });

  test('does not take an address from whoever has it now', async () => {
    const other = await create('other', { domain: 'http://gone.example' });
    const refused = await restore({ at: tuesday, vhosts: [gone.id] });
    expect([refused.status, refused.body.code]).toEqual([409, 'DOMAIN_TAKEN']);
    expect(await served('gone')).toBe('other');
    await owner.call('DELETE', `/vhosts/${other.id}`);
  });
});
