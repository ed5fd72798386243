/** The tokens of the enrolled agents, and the one key behind them. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentKeys } from '../../../src/hub/agents/keys.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const AGENT = { id: 2, generation: 1, fingerprint: 'ab'.repeat(32) };

test.each([
  ['empty', ''],
  ['cut', 'abc'],
  ['of NULs', '\0'.repeat(43)],
])('a key file that is %s is refused and stays', (_, text) => {
  const file = join(temporaryFolder(), 'agents-key');
  writeFileSync(file, text);
  expect(() => createAgentKeys(file).tokenOf(AGENT)).toThrow(`${file} is damaged`);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('a key file that is missing is not made unasked', () => {
  const file = join(temporaryFolder(), 'agents-key');
  expect(() => createAgentKeys(file).tokenOf(AGENT)).toThrow(`${file} is missing`);
  expect(existsSync(file)).toBe(false);
});

test('the key is made when it is first needed, for its owner only, and kept', () => {
  const file = join(temporaryFolder(), 'agents-key');
  const keys = createAgentKeys(file);
  expect(existsSync(file)).toBe(false);
  keys.make();
  keys.make();
  const token = keys.tokenOf(AGENT);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain(token);
  expect([keys.tokenOf(AGENT), createAgentKeys(file).tokenOf(AGENT)]).toEqual([token, token]);
  rmSync(file);
  expect(keys.tokenOf(AGENT)).toBe(token);
  const others = createAgentKeys(file);
  others.make();
  expect(others.tokenOf(AGENT)).not.toBe(token);
});

test('each agent, generation and certificate has a token of its own', () => {
  const keys = createAgentKeys(join(temporaryFolder(), 'agents-key'));
  keys.make();
  const others = [
    AGENT,
    { ...AGENT, id: 3 },
    { ...AGENT, generation: 2 },
    { ...AGENT, fingerprint: 'ac'.repeat(32) },
  ];
  expect(new Set(others.map(keys.tokenOf)).size).toBe(others.length);
});
