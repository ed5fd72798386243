/** A restore beside changes: what is acknowledged after it was confirmed is none that is gone. */
import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { forFile } from '../../harness/for-file.ts';
import { some } from '../../harness/full.ts';
import { startOwner } from '../../harness/owner.ts';
import { ask, temporaryFolder, until } from '../../harness/stack.ts';

const RESTORES = some(2, 200, 'RESTORES');
const folder = temporaryFolder();
const dir = join(folder, 'backups');
mkdirSync(dir);
const owner = await forFile(startOwner({ BACKUP_DIR: dir }, folder));
let { headers } = owner;

async function signIn(): Promise<boolean> {
  const json = { email: 'ada@example.org', password: 'a long passphrase' };
  const url = `${owner.stack.hub}/auth/sign-in/email`;
  const answer = await ask<{ token: string }>(url, { json }).catch(() => null);
  if (answer?.status === 200) headers = { Authorization: `Bearer ${answer.body.token}` };
  return answer?.status === 200;
}

test('what is answered after a restore was confirmed is still there', async () => {
  const made = await ask<{ backups: { name: string }[] }>(`${owner.stack.hub}/backups`, {
    method: 'POST',
    headers,
  });
  const [backup] = made.body.backups;
  for (let round = 0; round < RESTORES; round++) {
    let confirmedAt = Number.POSITIVE_INFINITY;
    const kept: string[] = [];
    /** Changes one site after the other, until the hub lets nobody. */
    const change = async (worker: number) => {
      for (let n = 0, isOpen = true; isOpen; n++) {
        const domain = `http://r${round}-${worker}-${n}.example`;
        const answer = await ask(`${owner.stack.hub}/vhosts`, {
          headers,
          json: { domain, config: 'respond x' },
        }).catch(() => null);
        isOpen = answer?.status === 201;
        if (isOpen && performance.now() > confirmedAt) kept.push(domain);
      }
    };
    const changes = Array.from({ length: 4 }, (_, worker) => change(worker));
    await Bun.sleep(20 + (round % 20));
    const restored = await ask(`${owner.stack.hub}/backups/${backup?.name}/restore`, {
      headers,
      json: {},
    });
    confirmedAt = performance.now();
    expect(restored.status).toBe(202);
    await Promise.all(changes);
    await until(signIn, 'signing in');
    const sites = await ask<{ domain: string }[]>(`${owner.stack.hub}/vhosts`, { headers });
    const there = sites.body.map(({ domain }) => domain);
    expect(kept.filter((domain) => !there.includes(domain))).toEqual([]);
  }
});
