/** `/replays`: what is refused before an agent is asked, and the undo of a preview. */
import { describe, expect, test } from 'bun:test';
import { selfSigned } from '../../harness/certificate.ts';
import { forFile } from '../../harness/for-file.ts';
import { type Entry, startOwner } from '../../harness/owner.ts';
import { ask, hasFeature } from '../../harness/stack.ts';

type Answer = { id: string; code?: string; message?: string; detail?: string; changes?: number[] };

const replay = (operations: object[], more: object = {}, query = '') =>
  owner.call<Answer>('POST', `/replays${query}`, { operations, ...more });
const preview = (operation: object) => owner.call('POST', '/preview', operation);
const unseen = { op: 'update', id: 1, tags: ['seen'] };

const owner = await forFile(startOwner());
await owner.create('one');
describe('is refused', () => {
  test.each<[string, object[], object, string]>([
    ['without operations', [], {}, ''],
    ['of an unknown operation', [{ op: 'undo' }], {}, ''],
    ['of no day', [unseen], { days: 0 }, ''],
    ['of too many days', [unseen], { days: 31 }, ''],
    ['of too few requests', [unseen], { requests: 99 }, ''],
    ['of too many requests', [unseen], { requests: 50_001 }, ''],
    ['with a wrong query', [unseen], {}, '?signedIn=yes'],
  ])('a replay %s', async (_, operations, more, query) => {
    const { status, body } = await replay(operations, more, query);
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
  });

  test('a replay at an agent that is unknown', async () => {
    const { status, body } = await replay([unseen], { agent: 'nobody' });
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('what the change would be refused with, of several with its number', async () => {
    const wrong = { op: 'update', id: 1, config: 'respond hi\nrespnd' };
    const one = await replay([wrong]);
    expect([one.status, one.body]).toMatchObject([502, { code: 'PROXY_REJECTED', line: 2 }]);
    expect(one.body.detail).not.toContain('operation');
    const several = await replay([unseen, { op: 'toggle', id: 99 }]);
    expect([several.status, several.body.detail]).toEqual([
      404,
      'operation 2: There is no such site.',
    ]);
    const taken = { op: 'create', domain: 'http://one.example', config: 'respond hi' };
    expect((await replay([taken])).body.code).toBe('DOMAIN_TAKEN');
  });
});

test('of a change that nobody can notice it is done at once, until it is forgotten', async () => {
  const { status, body } = await replay([unseen, unseen]);
  expect(status).toBe(202);
  expect((await owner.call('GET', `/replays/${body.id}`)).body).toEqual({
    state: 'done',
    done: 0,
    of: 0,
    same: 0,
    differ: 0,
    groups: [],
    leftOut: [],
  } as never);
  const end = () => owner.call('DELETE', `/replays/${body.id}`);
  expect([(await end()).status, (await end()).status]).toEqual([200, 404]);
  expect((await owner.call('GET', `/replays/${body.id}`)).status).toBe(404);
});

describe('an undo', () => {
  const latest = async (): Promise<Entry & { group: number }> =>
    (await owner.changelog())[0] as unknown as Entry & { group: number };

  test('is previewed as what it would be', async () => {
    await owner.call('PUT', '/vhosts/1', { config: 'respond two' });
    const { id, group } = await latest();
    for (const undo of [{ id }, { group }]) {
      const { body } = await preview({ op: 'undo', ...undo });
      expect(body.valid).toBe(true);
      expect(body.diff).toContain('-\trespond two');
      expect(body.diff).toContain('+\trespond one');
    }
    expect(await owner.served('one')).toBe('two');
  });

  test('that later changes prevent is refused, here and there, with these', async () => {
    const { id, group } = await latest();
    await owner.call('PUT', '/vhosts/1', { config: 'respond three' });
    const later = (await latest()).id;
    for (const [undo, code] of [
      [{ id }, 'REVERT_CONFLICT'],
      [{ group }, 'CHANGED_SINCE'],
    ] as const) {
      const refused = { status: 409, body: { code, changes: [later] } };
      expect(await preview({ op: 'undo', ...undo })).toMatchObject(refused as never);
      expect(await replay([{ op: 'undo', ...undo }])).toMatchObject(refused);
    }
    expect((await preview({ op: 'undo', id: 999 })).status).toBe(404);
    expect((await preview({ op: 'undo', group: 999 })).status).toBe(404);
  });

  test.skipIf(!hasFeature('certificates'))('of a kept certificate is for owners', async () => {
    const { certificate: chain, key } = await selfSigned(['kept.example']);
    await owner.call('POST', '/certificates/kept', { name: 'home', chain, key });
    const { id, group } = await latest();
    const { body } = await owner.call<{ token: string }>('POST', '/tokens', {
      name: 'writer',
      scope: 'write',
    });
    const headers = { Authorization: `Bearer ${body.token}` };
    for (const undo of [
      { op: 'undo', id },
      { op: 'undo', group },
    ]) {
      for (const [path, json] of [
        ['/preview', undo],
        ['/replays', { operations: [undo] }],
      ] as const) {
        const answer = await ask(`${owner.stack.hub}${path}`, { headers, json });
        expect([path, answer.status, answer.body]).toMatchObject([
          path,
          403,
          { code: 'FORBIDDEN' },
        ]);
        expect((await owner.call('POST', path, json)).status).toBeLessThan(300);
      }
    }
  });
});
