/** The keys of kept certificates in the database: they open for their own certificate, and nowhere else. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../src/hub/db/open.ts';
import { createSealing } from '../../../src/hub/db/sealing.ts';
import { createSealedPairs, type SealedPairs } from '../../../src/hub/model/sealed-pairs.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const PAIR = { chain: 'a chain', key: 'a key that nobody may read' };

let folder: string;
let keyFile: string;
let pairs: SealedPairs;
let close: () => void;

beforeEach(() => {
  folder = temporaryFolder();
  keyFile = join(folder, 'secret-key');
  const database = openDatabase(join(folder, 'hub.db'));
  close = database.close;
  pairs = createSealedPairs(createSealing(database.db, keyFile));
});

afterEach(() => {
  close();
  rmSync(folder, { recursive: true });
});

const storedAs = (id: number) => ({
  ...pairs.contentFor(PAIR)(id),
  id,
  name: 'home',
  createdAt: new Date(0),
  updatedAt: new Date(0),
});

test('what is stored has no key in clear, and is of nobody’s order', () => {
  const { chain, key, provider, spec } = storedAs(1);
  expect([chain, provider, spec]).toEqual([PAIR.chain, null, null]);
  expect(Buffer.from(key, 'base64').includes(PAIR.key)).toBe(false);
});

test('the key of another certificate does not open, nor any if the hub’s key is lost', () => {
  const stored = storedAs(1);
  expect(pairs.pairOf({ ...stored, id: 2 })).toBeNull();
  rmSync(keyFile);
  expect(pairs.pairOf(stored)).toBeNull();
});

test('a pair opens as it was', () => {
  expect(pairs.pairOf(storedAs(3))).toEqual(PAIR);
});
