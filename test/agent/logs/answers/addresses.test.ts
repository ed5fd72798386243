import { expect, test } from 'bun:test';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { line } from '../lines.ts';
import { ROLL, temporaryLogs } from '../temp.ts';

const logWith = temporaryLogs();

// More than a block of them.
const LINES = 3000;
const linesOf = (ip: string) => `${line({ request: { remote_ip: ip } })}\n`.repeat(LINES);

test('only blocks that may have an address are searched for it', async () => {
  const [home, away, other] = ['192.0.2.7', '192.0.2.8', '192.0.2.9'];
  const text = linesOf(home) + linesOf(other) + linesOf(away) + linesOf(home);
  const { at, logs } = logWith({ 'access.log': text, [ROLL]: text });
  const total = async (ip: string) => (await logs.page({ ip, page: 1, pageSize: 1 })).total;
  expect(await total(home)).toBe(4 * LINES);
  // Changed without a trace, in the middle of blocks that had only the other address.
  for (const name of ['access.log', ROLL]) {
    const { atime, mtime } = statSync(at(name));
    const bytes = readFileSync(at(name));
    const middle = Math.floor(bytes.length * 0.375);
    for (const ip of [away, home]) bytes.write(ip, bytes.indexOf(other, middle));
    writeFileSync(at(name), bytes);
    utimesSync(at(name), atime, mtime);
  }
  expect(await total(away)).toBe(2 * LINES);
  expect(await total(other)).toBe(2 * LINES - 4);
});
