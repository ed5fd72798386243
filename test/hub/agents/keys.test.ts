/** The tokens of the enrolled agents, and the one key behind them. */
import { beforeEach, expect, test } from 'bun:test';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createAgentKeys } from '../../../src/hub/agents/keys.ts';
import { createSealing, type SecretKey } from '../../../src/hub/db/sealing.ts';
import { secretKeyIn } from '../../../src/program/data-folder.ts';
import { startDatabase } from '../../harness/database.ts';
import { forEachTest } from '../../harness/for-tests.ts';

const AGENT = { id: 2, generation: 1, fingerprint: 'ab'.repeat(32) };
/** Of a key and its token for that agent, as they stay. */
const KEY = 'YWdlbnRzLWtleSBvZiAwLjEsIDMyIGJ5dGVzIGxvbmc';
const TOKEN = '6wk3FOTEbd3ms9zmoEJ9UYo0tYE59XWD49hMihEvvv4';

let file: string;
const database = forEachTest(startDatabase);
let secret: SecretKey;
beforeEach(() => {
  file = secretKeyIn(database.folder);
  secret = createSealing(database.db, file).key;
});

test.each([
  ['empty', ''],
  ['cut', 'abc'],
  ['of NULs', '\0'.repeat(43)],
])('there is no token of a key that is %s', (_, text) => {
  writeFileSync(file, text);
  expect(() => createAgentKeys(secret).tokenOf(AGENT)).toThrow('secret-key is damaged');
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('there is none without a key, until that is there again', () => {
  const keys = createAgentKeys(secret);
  expect(() => keys.tokenOf(AGENT)).toThrow('secret-key is missing');
  writeFileSync(file, `${KEY}\n`);
  expect(keys.tokenOf(AGENT)).toBe(TOKEN);
});

test('a token is not the key, and survives the loss of its file until the next start', () => {
  const keys = createAgentKeys(secret);
  keys.make(false);
  keys.make(false);
  const token = keys.tokenOf(AGENT);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(readFileSync(file, 'utf8')).not.toContain(token);
  expect(createAgentKeys(secret).tokenOf(AGENT)).toBe(token);
  rmSync(file);
  expect(keys.tokenOf(AGENT)).toBe(token);
  keys.make(false);
  expect(keys.tokenOf(AGENT)).not.toBe(token);
});

test('each agent, generation and certificate has a token of its own', () => {
  const keys = createAgentKeys(secret);
  keys.make(false);
  const others = [
    AGENT,
    { ...AGENT, id: 3 },
    { ...AGENT, generation: 2 },
    { ...AGENT, fingerprint: 'ac'.repeat(32) },
  ];
  expect(new Set(others.map(keys.tokenOf)).size).toBe(others.length);
});
