/** Another program that locks the database, as a backup of it or an open `sqlite3` does. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';

const owner = await forFile(startOwner());

const site = (host: string) => ({ domain: `http://${host}`, config: 'respond ok' });

/** Has another process hold the lock until it is told to let go. */
async function lock(): Promise<() => Promise<void>> {
  const file = join(owner.stack.dataDir, 'signalbox.db');
  const script = `
    const { Database } = require('bun:sqlite');
    const db = new Database(${JSON.stringify(file)});
    db.run('PRAGMA busy_timeout = 5000');
    db.run('BEGIN IMMEDIATE');
    console.log('locked');
    process.stdin.once('data', () => { db.run('ROLLBACK'); process.exit(); });
  `;
  const child = Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe' });
  await child.stdout.getReader().read();
  return async () => {
    child.stdin.write('\n');
    await child.stdin.end();
    await child.exited;
  };
}

test('a write while it is locked is refused with who has it, and others are answered meanwhile', async () => {
  const unlock = await lock();
  try {
    const waits = owner.call('POST', '/tokens', { name: 'script', scope: 'read' });
    const change = owner.call('POST', '/vhosts', site('locked.example'));
    const health = await owner.call('GET', '/health');
    expect(health.status).toBe(200);
    const refused = await waits;
    expect([refused.status, refused.text]).toEqual([503, refused.text]);
    expect(refused.body).toMatchObject({
      code: 'DATABASE_UNUSABLE',
      message: 'The database is locked; nothing was changed.',
      detail: expect.stringMatching(/^bun\S* \(pid \d+\) has locked signalbox\.db$/),
      hint: expect.stringContaining('try again'),
    });
    const changed = await change;
    expect([changed.status, changed.text]).toEqual([503, changed.text]);
  } finally {
    await unlock();
  }
  const made = await owner.call('POST', '/vhosts', site('locked.example'));
  expect([made.status, made.text]).toEqual([201, made.text]);
});

test('a change that the proxies have taken waits for a lock that is let go', async () => {
  const unlock = await lock();
  const change = owner.call('POST', '/vhosts', site('patient.example'));
  const timer = setTimeout(() => void unlock(), 1_000);
  const made = await change;
  clearTimeout(timer);
  expect([made.status, made.text]).toEqual([201, made.text]);
});
