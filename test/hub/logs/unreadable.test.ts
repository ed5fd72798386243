/** What the hub answers while the agent cannot read the access log: which file it is, and why. */
import { expect, test } from 'bun:test';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { until } from '../../harness/stack.ts';

const owner = await forFile(startOwner());
const file = owner.stack.accessLog;
await owner.create('one');
await owner.served('one');
await until(
  async () => (await owner.call<{ total: number }>('GET', '/logs')).body.total > 0,
  'a log',
);

const ROUTES = ['/logs', '/logs?path=/a', '/logs/stats', '/logs/tail', '/logs/export'];

test.each([
  [
    'leads to itself',
    () => symlinkSync(file, file),
    /: symbolic links in its path lead in a circle\.$/,
  ],
  ['is a folder', () => mkdirSync(file), /: it is a folder, not a file\.$/],
] as const)(
  'a file that %s is named, without its folder, and only while it is so',
  async (_, replace, reason) => {
    renameSync(file, `${file}.aside`);
    replace();
    for (const path of ROUTES) {
      const { status, body, text } = await owner.call('GET', path);
      expect([path, status, body.code]).toEqual([path, 502, 'AGENT_UNREACHABLE']);
      expect(body.message).toStartWith('The access log (ACCESS_LOG) cannot be read: access.log: ');
      expect(body.message).toMatch(reason);
      expect(text).not.toContain(dirname(file));
    }
    const isProblem = async () =>
      (await owner.call('GET', '/status')).text.includes('(ACCESS_LOG) cannot be read');
    await until(isProblem, 'a problem');
    rmSync(file, { recursive: true });
    renameSync(`${file}.aside`, file);
    expect((await owner.call('GET', '/logs')).status).toBe(200);
    await until(async () => !(await isProblem()), 'no problem');
  },
);
