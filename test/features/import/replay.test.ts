/** A replay of an import: only a dry run can start one. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Body, type Owner, startOwner } from '../../harness/owner.ts';

let owner: Owner;
beforeAll(async () => {
  owner = await startOwner();
  await owner.create('one');
});
afterAll(() => owner.stack.stop());

test('is refused unless it is a dry run', async () => {
  const before = await owner.everything();
  const proxyfile = `http://new.example:${owner.stack.httpPort} {\n\trespond new\n}\n`;
  const { status, body } = await owner.call<Body>('POST', '/import?replay=true', { proxyfile });
  expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
  expect(await owner.everything()).toEqual(before);
});
