/** A replay of a plan: only a dry run can start one. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Body, type Owner, startOwner } from '../../harness/owner.ts';

let owner: Owner;
beforeAll(async () => {
  owner = await startOwner();
  await owner.create('one');
});
afterAll(() => owner.stack.stop());

const document = {
  source: 'home',
  sites: { 'http://applied.example': { config: 'respond hi' } },
};

test('is refused unless it is a dry run', async () => {
  const before = await owner.everything();
  const { status, body } = await owner.call<Body>('POST', '/apply?replay=true', document);
  expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
  expect(await owner.everything()).toEqual(before);
});

test('is not needed for a dry run', async () => {
  const plan = await owner.call('POST', '/apply', { ...document, dryRun: true });
  expect([plan.status, Object.keys(plan.body)]).toEqual([
    200,
    ['changes', 'diff', 'published', 'digest'],
  ]);
});
