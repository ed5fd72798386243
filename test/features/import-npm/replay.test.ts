/** A replay of an import: only a dry run can start one. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { EMPTIED, npmDatabase, npmForm } from '../../harness/npm-database.ts';
import { type Owner, startOwner } from '../../harness/owner.ts';
import { ask } from '../../harness/stack.ts';

let owner: Owner;
beforeAll(async () => {
  owner = await startOwner();
  await owner.create('one');
});
afterAll(() => owner.stack.stop());

test('is refused unless it is a dry run', async () => {
  const before = await owner.everything();
  const raw = npmForm(npmDatabase(EMPTIED));
  const url = `${owner.stack.hub}/import/npm?replay=true`;
  expect((await ask(url, { headers: owner.headers, raw })).status).toBe(400);
  expect(await owner.everything()).toEqual(before);
});
