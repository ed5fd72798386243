/** What is read once a turn is never older than what this connection has written. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { onceATurn } from '../../../src/hub/db/once-a-turn.ts';
import { inTransaction } from '../../../src/hub/db/open.ts';
import { preamble } from '../../../src/hub/db/schema.ts';
import { inDatabase, startDatabase } from '../../harness/database.ts';
import { forFile } from '../../harness/for-file.ts';

const { db, folder } = await forFile(startDatabase());

let reads = 0;
const read = onceATurn(db, (key) => {
  reads++;
  return db.select().from(preamble).get()?.config.concat(key);
});
const write = (config: string) => db.update(preamble).set({ config }).run();
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('an own write counts at once, also one of a transaction', () => {
  write('one');
  expect(read('!')).toBe('one!');
  write('two');
  expect(read('!')).toBe('two!');
  inTransaction(db, (tx) => tx.update(preamble).set({ config: 'three' }).run());
  expect(read('!')).toBe('three!');
});

test('what a transaction reads and then rolls back is not kept', () => {
  write('kept');
  expect(() =>
    inTransaction(db, (tx) => {
      tx.update(preamble).set({ config: 'undone' }).where(eq(preamble.config, 'kept')).run();
      expect(read('!')).toBe('undone!');
      throw new Error('rolled back');
    }),
  ).toThrow('rolled back');
  expect(read('!')).toBe('kept!');
});

test('a write of another program counts from the next turn', async () => {
  write('own');
  expect(read('!')).toBe('own!');
  inDatabase(folder, (sqlite) => sqlite.run("UPDATE preamble SET config = 'foreign'"));
  await nextTurn();
  expect(read('!')).toBe('foreign!');
});

test('all who ask in a turn cause one read, each key its own', async () => {
  await nextTurn();
  reads = 0;
  expect(Array.from({ length: 50 }, () => read('?'))).toEqual(Array(50).fill(read('?')));
  expect(reads).toBe(1);
  expect(read('!')).not.toBe(read('?'));
  expect(reads).toBe(2);
});
