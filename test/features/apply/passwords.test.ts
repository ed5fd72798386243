// proof: hub
/** `/apply` with passwords in clear: each is hashed, which takes a second or more of a core. */
import { expect, test } from 'bun:test';
import type { Outcome } from '../../../src/features/apply/plan.ts';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';

type Applied = Omit<Outcome, 'before' | 'after'> & Body & { group?: number };

const owner = await forFile(startOwner());
const lan = { recipe: 'allow', values: { networks: ['private_ranges'] } };
const apply = (document: object) => owner.call<Applied>('POST', '/apply', document);
const plan = (document: object) => apply({ ...document, dryRun: true });
const ops = (answer: { body: Applied }) =>
  answer.body.changes.map(({ op, name, fields }) => [op, name, ...fields].join(' '));

test('a policy gets another recipe, and a password in clear changes nothing the second time', async () => {
  const users = (password: string) => ({ users: [{ name: 'ada', password }] });
  const document = (policy: object) => ({
    source: 'guard',
    policies: { guard: policy },
    sites: { 'http://guarded.example': { config: 'respond in', policies: ['guard'] } },
  });
  expect((await apply(document(lan))).status).toBe(200);
  const password = { recipe: 'basic-auth', values: users('correct horse battery') };
  const changed = await apply(document(password));
  expect(ops(changed)).toEqual(['update guard recipe values']);
  expect((await owner.stack.served('guarded.example')).status).toBe(401);
  expect(ops(await apply(document(password)))).toEqual([]);
  const other = { ...password, values: users('another horse battery') };
  const planned = await plan(document(other));
  expect(ops(planned)).toEqual(['update guard values']);
  const third = { ...password, values: users('a third horse battery') };
  const { digest: expects } = planned.body;
  expect((await apply({ ...document(third), expects })).body.code).toBe('STALE');
  expect(ops(await apply({ ...document(other), expects }))).toEqual(['update guard values']);
  const back = await owner.call('POST', `/changelog/groups/${changed.body.group}/revert`);
  expect([back.status, (back.body as Body).code]).toEqual([409, 'CHANGED_SINCE']);
});
